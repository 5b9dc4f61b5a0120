#include "core/tools/sandbox/stragglers.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/text/io.h"
#include "core/text/wait.h"

namespace skein::tools::sandbox {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{2};

bool has_children() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// "PID (name) state parent …"; the name may hold anything.
pid_t parent_of(const fs::path& process) {
  std::ifstream in(process / "stat");
  const std::string line(std::istreambuf_iterator<char>(in), {});
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > line.size()) return 0;
  pid_t parent = 0;
  std::from_chars(line.data() + name_end + 4, line.data() + line.size(), parent);
  return parent;
}

// The kernel's own list, of each of our threads. Not every kernel has it.
bool listed_children(std::vector<pid_t>& found) {
  std::error_code error;
  for (fs::directory_iterator task("/proc/self/task", error), end; !error && task != end;
       task.increment(error)) {
    std::ifstream in(task->path() / "children");
    if (!in) return false;
    for (pid_t pid = 0; in >> pid;) found.push_back(pid);
  }
  return !error;
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  if (!has_children() || listed_children(found)) return found;
  found.clear();
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec == std::errc{} &&
        parent_of(entry->path()) == getpid())
      found.push_back(pid);
  }
  return found;
}

void wait_for(pid_t pid, Clock::time_point due) {
  const Fd process = process_descriptor(pid);
  wait(process.get(), process ? due : Clock::now() + std::chrono::milliseconds(1));
  waitpid(pid, nullptr, WNOHANG);
}

}  // namespace

Stragglers::Stragglers() : ours_(children()) {
  prctl(PR_GET_CHILD_SUBREAPER, &reaped_before_, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

Stragglers::~Stragglers() {
  prctl(PR_SET_CHILD_SUBREAPER, static_cast<unsigned long>(reaped_before_), 0, 0, 0);
}

std::size_t Stragglers::end() {
  for (const Clock::time_point due = Clock::now() + patience;;) {
    std::vector<pid_t> left = children();
    std::erase_if(left, [&](pid_t pid) { return std::ranges::count(ours_, pid) > 0; });
    if (left.empty() || Clock::now() >= due) return left.size();
    // The children of each become ours when it ends, and are found the next time.
    for (const pid_t pid : left) kill(pid, SIGKILL);
    for (const pid_t pid : left) wait_for(pid, due);
  }
}

}  // namespace skein::tools::sandbox
