#include "core/text/log.h"

#include "core/text/std.h"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/io.h"

namespace skein {

namespace {

namespace fs = std::filesystem;

constexpr off_t max_bytes = 5 << 20;
constexpr std::size_t kept_logs = 20;

std::shared_ptr<spdlog::logger> logger;
fs::path folder;
bool wants_debug = false;
bool opened = false;
std::mutex writing;  // sub-agents have threads of their own

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

// The library's own file sinks can neither keep a file from commands that are run nor from other
// users. A log that has grown too long begins again; the one before is kept.
class PrivateFile : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit PrivateFile(std::string path) : path_(std::move(path)) { open(); }

 private:
  void open() { fd_ = Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)); }

  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    if (fd_ && ::lseek(fd_.get(), 0, SEEK_END) > max_bytes) {
      ::rename(path_.c_str(), (path_.substr(0, path_.size() - 4) + ".1.log").c_str());
      open();
    }
    // No log is no reason to stop.
    if (fd_) write_all(fd_.get(), {line.data(), line.size()});
  }
  void flush_() override {}

  std::string path_;
  Fd fd_;
};

void make_folder() {
  fs::path part;
  for (const fs::path& each : folder) ::mkdir((part /= each).c_str(), 0700);
}

// Opened by the first line that is written, unless the user asked for a log: most runs write none.
void open_log() {
  opened = true;
  if (folder.empty()) return;
  if (std::error_code ignored; !fs::is_directory(folder, ignored)) make_folder();
  remove_old();
  logger = std::make_shared<spdlog::logger>("skein", std::make_shared<PrivateFile>(log_file()));
  logger->set_pattern("%l %Y-%m-%dT%H:%M:%S.%e %v");
  logger->set_level(spdlog::level::debug);
}

// A value stays one word, whatever is in it.
std::string one_word(std::string value) {
  std::ranges::replace_if(
      value, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }, '_');
  return value;
}

void write_record(spdlog::level::level_enum level, std::string_view subject, LogFields fields) {
  const std::lock_guard lock(writing);
  if (!opened) open_log();
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
  if (wants_debug) open_log();  // its name is announced
}

std::string log_file() {
  return folder.empty() ? "" : (folder / (std::to_string(getpid()) + ".log")).string();
}

void log_debug(std::string_view subject, LogFields fields) {
  if (wants_debug) write_record(spdlog::level::debug, subject, fields);
}

void log_warning(std::string_view subject, LogFields fields) {
  write_record(spdlog::level::warn, subject, fields);
}

}  // namespace skein
