#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "tests/support/temp_dir.h"

namespace skein::test {

namespace {

// A file in memory: unlike a pipe it never fills up, so nobody has to read while the child runs.
int memory_file(const std::string& content) {
  const int fd = memfd_create("standard stream", MFD_CLOEXEC);
  if (fd < 0) throw std::runtime_error("no memory file");
  if (!content.empty() &&
      pwrite(fd, content.data(), content.size(), 0) != static_cast<ssize_t>(content.size()))
    throw std::runtime_error("no memory");
  return fd;
}

std::string take_content(int fd) {
  std::string out(static_cast<std::size_t>(lseek(fd, 0, SEEK_END)), '\0');
  if (pread(fd, out.data(), out.size(), 0) < 0) out.clear();
  close(fd);
  return out;
}

int shell_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool ends_within(pid_t process, int patience_ms) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (fd < 0) return true;
  pollfd wait{fd, POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&wait, 1, patience_ms)) < 0 && errno == EINTR) {
  }
  close(fd);
  return ready != 0;
}

}  // namespace

Finished run(const Command& command) {
  const int in = memory_file(command.input), out = memory_file({}), err = memory_file({});
  std::vector<char*> argv;
  for (const std::string& word : command.words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_DFL);  // as a shell starts it, whatever this test does with it
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    if (command.before_exec) command.before_exec();
    execvp(argv[0], argv.data());
    _exit(127);
  }
  Finished finished;
  finished.timed_out = !ends_within(child, command.patience_ms);
  if (finished.timed_out) kill(child, SIGKILL);
  finished.status = status_of(child);
  close(in);
  finished.out = take_content(out);
  finished.err = take_content(err);
  return finished;
}

std::string skein_executable() {
  const char* path = std::getenv("SKEIN");
  if (path == nullptr) throw std::runtime_error("SKEIN does not name the executable");
  return path;
}

Command skein_command(const std::string& home, std::vector<std::string> words, std::string input) {
  words.insert(words.begin(), {skein_executable(), "--home", home});
  return {std::move(words), std::move(input)};
}

bool is_installed(const std::string& program) {
  return run({{"sh", "-c", "command -v " + program}}).status == 0;
}

bool is_running(const std::string& word) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc"))
    if (read_file(entry.path() / "cmdline").find(word) != std::string::npos) return true;
  return false;
}

pid_t start(const std::function<int()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody goes on writing after a test that was killed
  int status = 99;
  try {
    status = work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "a process of the test ended: %s\n", error.what());
  }
  std::fflush(nullptr);
  _exit(status);
}

int status_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return shell_status(status);
}

std::size_t complaints_of(std::size_t count, int workers,
                          const std::function<std::string(std::size_t)>& each) {
  struct Shared {
    std::atomic<std::size_t> next{0}, complaints{0};
  };
  void* place =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = new (place) Shared;
  std::vector<pid_t> children;
  for (int i = 0; i < workers; ++i)
    children.push_back(start([&] {
      for (std::size_t mine; (mine = shared->next++) < count;)
        if (const std::string complaint = each(mine); !complaint.empty())
          if (shared->complaints++ < 20) std::fprintf(stderr, "%s\n", complaint.c_str());
      return 0;
    }));
  for (const pid_t child : children)
    if (status_of(child) != 0) ++shared->complaints;
  const std::size_t complaints = shared->complaints;
  munmap(place, sizeof(Shared));
  return complaints;
}

void use_memory_disk() {
  if (access("/dev/shm", W_OK | X_OK) == 0) setenv("TMPDIR", "/dev/shm", 1);
}

}  // namespace skein::test
