#include "core/text/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

namespace skein {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_bytes = 5u << 20;
constexpr std::size_t kept_logs = 20;

std::shared_ptr<spdlog::logger> logger;
fs::path folder;
bool wants_debug = false;
bool opened = false;

// One file a process (two processes must not rotate one file), so old ones are removed here.
void remove_old() {
  std::vector<std::pair<fs::file_time_type, fs::path>> logs;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder, ignored))
    if (file.path().extension() == ".log")
      logs.emplace_back(file.last_write_time(ignored), file.path());
  if (logs.size() <= kept_logs) return;
  std::sort(logs.begin(), logs.end());
  for (std::size_t i = 0; i + kept_logs < logs.size(); ++i) fs::remove(logs[i].second, ignored);
}

// Opened by the first line that is written: most runs write none.
void open() {
  opened = true;
  if (folder.empty()) return;
  const mode_t old = umask(0077);  // nobody else reads it
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  remove_old();
  try {
    const auto sink =
        std::make_shared<spdlog::sinks::rotating_file_sink_mt>(log_file(), max_bytes, 2);
    sink->set_pattern("%l %Y-%m-%dT%H:%M:%S.%e %v");
    logger = std::make_shared<spdlog::logger>("skein", sink);
    logger->set_level(spdlog::level::debug);
    logger->flush_on(spdlog::level::debug);
  } catch (const spdlog::spdlog_ex&) {
    logger = nullptr;  // no log is no reason to stop
  }
  umask(old);
}

// A value stays one word, whatever is in it.
std::string one_word(std::string value) {
  std::ranges::replace_if(
      value, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }, '_');
  return value;
}

void write(spdlog::level::level_enum level, std::string_view subject, LogFields fields) {
  if (!opened) open();
  if (!logger) return;
  std::string line(subject);
  for (const LogField& field : fields)
    line.append(" ").append(field.name).append("=").append(one_word(field.value));
  logger->log(level, line);
}

}  // namespace

void start_log(std::string in, bool verbose) {
  folder = std::move(in);
  wants_debug = verbose;
  opened = false;
  logger = nullptr;
}

std::string log_file() {
  return folder.empty() ? "" : (folder / (std::to_string(getpid()) + ".log")).string();
}

void log_debug(std::string_view subject, LogFields fields) {
  if (wants_debug) write(spdlog::level::debug, subject, fields);
}

void log_warning(std::string_view subject, LogFields fields) {
  write(spdlog::level::warn, subject, fields);
}

}  // namespace skein
