// From exec to a prompt that takes keys, in the long session; against a program that does nothing.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "app/bench/workload.h"
#include "app/signals.h"
#include "core/text/fd.h"
#include "core/text/io.h"

namespace skein::bench {

namespace {

namespace fs = std::filesystem;
constexpr std::chrono::seconds patience{10};

// A terminal with nobody in front of it.
struct Screen {
  Fd ours, theirs;
};
Screen make_screen() {
  Screen screen{Fd(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)), Fd()};
  std::array<char, 64> name{};
  if (!screen.ours || grantpt(screen.ours.get()) != 0 || unlockpt(screen.ours.get()) != 0 ||
      ptsname_r(screen.ours.get(), name.data(), name.size()) != 0)
    throw Error(std::string("no pseudo-terminal to be had: ") + std::strerror(errno));
  screen.theirs = Fd(open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  winsize size{};
  size.ws_col = 80;
  size.ws_row = 24;
  ioctl(screen.ours.get(), TIOCSWINSZ, &size);
  return screen;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// In a session of its own, with `screen` as its terminal. Between fork and exec only what is safe
// there is called.
pid_t start_program(std::vector<std::string> words, std::vector<std::string> environment,
                    const Screen& screen, const fs::path& folder) {
  const std::vector<char*> arguments = pointers(words), variables = pointers(environment);
  const int terminal = screen.theirs.get();
  const pid_t child = fork();
  if (child < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child > 0) return child;
  std::signal(SIGPIPE, SIG_DFL);
  setsid();
  ioctl(terminal, TIOCSCTTY, 0);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(terminal, fd);
  if (chdir(folder.c_str()) == 0) execve(arguments[0], arguments.data(), variables.data());
  _exit(127);
}

// Nothing of the user's: neither configuration nor state, and no key.
std::vector<std::string> bare_environment(const SampleHome& home) {
  std::vector<std::string> out{"TERM=xterm-256color", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"};
  for (const char* name : {"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
    out.push_back(std::string(name) + "=" + (home.folder() / "user").string());
  return out;
}

// Reads what is shown until the prompt stands behind the name of the session.
bool shows_prompt(const Screen& screen) {
  std::string shown;
  std::array<char, 4096> buffer{};
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!app::stop_asked() && std::chrono::steady_clock::now() < end) {
    pollfd ready{screen.ours.get(), POLLIN, 0};
    if (poll(&ready, 1, 100) <= 0) continue;
    const ssize_t count = read(screen.ours.get(), buffer.data(), buffer.size());
    if (count <= 0) return false;
    shown.append(buffer.data(), static_cast<std::size_t>(count));
    const std::size_t named = shown.find(SampleHome::key() + " ·");
    if (named != std::string::npos && shown.find("› ", named) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

Measured measure_start(const SampleHome& home) {
  const std::string skein = fs::read_symlink("/proc/self/exe").string();
  fs::create_directory(home.folder() / "user");
  const std::vector<std::string> environment = bare_environment(home);
  const fs::path workspace = home.workspace();
  pid_t last = 0;
  Screen screen;
  const auto end_last = [&] {
    if (last == 0) return;
    kill(last, SIGKILL);
    wait_for_child(last);
    last = 0;
  };
  bool prompted = true;
  const Middles took = in_turns(
      home, 21,
      [&] {
        last = start_program({skein, "--home", home.path().string(), "-C", workspace.string(), "-m",
                              "offline/demo", "-s", SampleHome::key()},
                             environment, screen, workspace);
        prompted = shows_prompt(screen) && prompted;
      },
      [&] { wait_for_child(start_program({"/bin/true"}, environment, screen, workspace)); },
      [&] {
        end_last();
        screen = make_screen();
      });
  end_last();
  if (!prompted && !app::stop_asked())
    throw Error("the bench started " + skein + " and no prompt came");
  return {took.ours, took.raw, "until the prompt is there", "starting /bin/true"};
}

}  // namespace skein::bench
