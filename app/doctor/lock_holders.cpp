#include "app/doctor/lock_holders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "core/text/small_file.h"
#include "core/text/text.h"

namespace skein::doctor {

namespace {

namespace fs = std::filesystem;

std::string proc_text(const fs::path& file) { return file_text(file.string()).value_or(""); }

std::vector<pid_t> processes() {
  std::vector<pid_t> out;
  std::error_code failed;
  for (fs::directory_iterator each("/proc", failed), end; !failed && each != end;
       each.increment(failed)) {
    const std::string name = each->path().filename();
    pid_t process = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error == std::errc{} && stop == name.data() + name.size() && process != getpid())
      out.push_back(process);
  }
  return out;
}

fs::path proc_of(pid_t process) { return fs::path("/proc") / std::to_string(process); }

// A line as both /proc/locks and /proc/PID/fdinfo/N have it, from its kind on:
// "FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF".
struct LockLine {
  bool is_flock = false;
  pid_t process = 0;  // of a flock
  std::uint64_t inode = 0, start = 0;
};
std::optional<LockLine> read_lock_line(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(line, ' '))
    if (!word.empty()) words.push_back(word);
  const auto kind = std::ranges::find_if(
      words, [](std::string_view word) { return word == "FLOCK" || word == "OFDLCK"; });
  if (words.end() - kind < 6) return std::nullopt;
  const auto number = [](std::string_view text, auto& out) {
    std::from_chars(text.data(), text.data() + text.size(), out);
  };
  LockLine out{.is_flock = *kind == "FLOCK"};
  number(kind[3], out.process);
  number(kind[4].substr(kind[4].rfind(':') + 1), out.inode);
  number(kind[5], out.start);
  return out;
}

bool has_lock(const std::string& text, std::uint64_t inode, std::optional<std::uint64_t> place) {
  return std::ranges::any_of(split(text, '\n'), [&](std::string_view line) {
    const auto lock = read_lock_line(line);
    return lock && lock->inode == inode &&
           (place ? !lock->is_flock && lock->start == *place : lock->is_flock);
  });
}

bool holds(pid_t process, std::uint64_t inode, std::optional<std::uint64_t> place) {
  std::error_code failed;
  for (fs::directory_iterator each(proc_of(process) / "fdinfo", failed), end;
       !failed && each != end; each.increment(failed))
    if (has_lock(proc_text(each->path()), inode, place)) return true;
  return false;
}

bool is_stopped(pid_t process) {
  const std::string stat = proc_text(proc_of(process) / "stat");
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.substr(name_end).starts_with(") T");
}

bool is_like_us(pid_t process) {
  const std::string own = proc_text("/proc/self/comm");
  return !own.empty() && proc_text(proc_of(process) / "comm") == own;
}

}  // namespace

LockHolder holder_of(int file, std::optional<std::uint64_t> place) {
  LockHolder out;
  struct stat facts {};
  if (fstat(file, &facts) != 0) return out;
  const std::vector<pid_t> all = processes();
  const auto found =
      std::ranges::find_if(all, [&](pid_t process) { return holds(process, facts.st_ino, place); });
  if (found != all.end()) out.process = *found;
  const std::string locks = proc_text("/proc/locks");
  if (!place && out.process == 0)
    for (const std::string_view line : split(locks, '\n'))
      if (const auto lock = read_lock_line(line);
          lock && lock->is_flock && lock->inode == facts.st_ino && lock->process > 0)
        out.process = lock->process;
  if (out.process == 0) std::ranges::copy_if(all, std::back_inserter(out.perhaps), is_like_us);
  if (out.perhaps.size() == 1) out.process = out.perhaps.front();
  out.stopped = out.process != 0 && is_stopped(out.process);
  return out;
}

std::string described(const LockHolder& holder) {
  if (holder.process != 0) return "process " + std::to_string(holder.process);
  if (holder.perhaps.empty()) return "a process that cannot be seen from here";
  std::vector<std::string> numbers;
  for (const pid_t process : holder.perhaps) numbers.push_back(std::to_string(process));
  return "one of the processes " + listed(numbers);
}

}  // namespace skein::doctor
