#include "core/log.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace skein {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_bytes = 5u << 20;
constexpr std::size_t kept_logs = 20;

std::shared_ptr<spdlog::logger> logger;
bool wants_debug = false;
bool wanted = false;

fs::path log_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state)
    return fs::path(state) / "skein";
  if (const char* home = std::getenv("HOME"); home && *home)
    return fs::path(home) / ".local/state/skein";
  return {};
}

// One file a process (two processes must not rotate one file), so old ones are removed here.
void remove_old(const fs::path& folder) {
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
  wanted = false;
  const fs::path folder = log_folder();
  std::error_code failed;
  if (folder.empty() || (fs::create_directories(folder, failed), failed)) return;
  remove_old(folder);
  const mode_t old = umask(0077);
  try {
    const auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
        (folder / (std::to_string(getpid()) + ".log")).string(), max_bytes, 2);
    logger = std::make_shared<spdlog::logger>("skein", sink);
    logger->set_level(wants_debug ? spdlog::level::debug : spdlog::level::warn);
    logger->flush_on(spdlog::level::debug);
  } catch (const spdlog::spdlog_ex&) {
    logger = nullptr;  // no log is no reason to stop
  }
  umask(old);
}

void write(spdlog::level::level_enum level, std::string_view line) {
  if (wanted) open();
  if (logger) logger->log(level, "{}", line);
}

}  // namespace

void start_log(bool verbose) {
  wanted = true;
  wants_debug = verbose;
}

void log_debug(std::string_view line) {
  if (wants_debug) write(spdlog::level::debug, line);
}

void log_warning(std::string_view line) { write(spdlog::level::warn, line); }

}  // namespace skein
