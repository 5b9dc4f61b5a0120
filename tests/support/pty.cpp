#include "tests/support/pty.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "core/text/base.h"
#include "tests/support/process.h"

namespace skein::test {

Pty::Pty(int columns, int rows)
    : master_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)) {
  std::array<char, 64> name{};
  if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0 ||
      ptsname_r(master_, name.data(), name.size()) != 0)
    throw Error("no pseudo-terminal to be had");
  slave_ = open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  resize(columns, rows);
  // A ^C typed as a program has just left would throw away what we have not read of its last words.
  termios modes{};
  tcgetattr(slave_, &modes);
  modes.c_lflag |= NOFLSH;
  tcsetattr(slave_, TCSANOW, &modes);
}

Pty::~Pty() {
  close(slave_);
  close(master_);
}

void Pty::resize(int columns, int rows) const {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  ioctl(master_, TIOCSWINSZ, &size);
}

// Waits until something can be read (or what `events` says); reads what there is.
bool Pty::read_some(int ms, short events) {
  pollfd ready{master_, events, 0};
  if (poll(&ready, 1, ms) <= 0) return false;
  std::array<char, 65536> buffer;
  const ssize_t count = read(master_, buffer.data(), buffer.size());
  if (count > 0) shown_.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

void Pty::type(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(master_, bytes.data(), bytes.size());
    if (count < 0 && errno != EAGAIN) return;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    if (count < 0 && !read_some(60'000, POLLIN | POLLOUT)) return;
  }
}

const std::string& Pty::shown(const std::function<bool(const std::string&)>& enough, int ms) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(ms);
  while (!enough(shown_)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0 || !read_some(static_cast<int>(left.count()), POLLIN)) break;
  }
  return shown_;
}

std::optional<int> Pty::status_of(pid_t program, int ms) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(ms);
  for (int status = 0;;) {
    if (waitpid(program, &status, WNOHANG) == program) {
      while (read_some(0, POLLIN)) {
      }
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    if (Clock::now() >= until) return std::nullopt;
    read_some(2, POLLIN);
  }
}

bool Pty::shows(std::string_view text, int ms) {
  const auto there = [&](const std::string& all) { return all.find(text) != std::string::npos; };
  return there(shown(there, ms));
}

pid_t Pty::start(const std::vector<std::string>& words, const std::function<void()>& before_exec) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  setsid();
  ioctl(slave_, TIOCSCTTY, 0);
  for (const int fd : {0, 1, 2}) dup2(slave_, fd);
  // A shell that started the tests in the background wants these ignored.
  for (const int signal : {SIGINT, SIGQUIT}) std::signal(signal, SIG_DFL);
  if (before_exec) before_exec();
  execv(arguments[0], arguments.data());
  _exit(127);
}

pid_t Pty::start_skein(const std::string& folder, std::vector<std::string> words) {
  words.insert(words.begin(), skein_executable());
  std::filesystem::create_directories(folder + "/ws");
  return start(words, [&] {
    for (const char* name :
         {"SKEIN_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "NO_COLOR", "COLORFGBG"})
      unsetenv(name);
    setenv("SKEIN_HOME", (folder + "/home").c_str(), 1);
    setenv("XDG_STATE_HOME", (folder + "/state").c_str(), 1);
    setenv("XDG_CONFIG_HOME", (folder + "/config").c_str(), 1);
    setenv("SKEIN_DEMO_PACE", "0", 1);
    setenv("EDITOR", "true", 1);
    unsetenv("VISUAL");
    setenv("TERM", "xterm-256color", 1);
    if (chdir((folder + "/ws").c_str()) != 0) _exit(126);
  });
}

// What was written last may still be on its way to us.
bool Pty::left_tidy() {
  const auto tidy = [](const std::string& all) {
    const auto last = [&](std::string_view text) {
      const std::size_t at = all.rfind(text);
      return at == std::string::npos ? std::size_t{0} : at + 1;
    };
    return last("\x1b[?2004l") >= last("\x1b[?2004h") && last("\x1b[?25h") >= last("\x1b[?25l");
  };
  return tidy(shown(tidy, 20'000));
}

std::string Pty::modes() const {
  termios modes{};
  tcgetattr(slave_, &modes);
  std::string out;
  if (modes.c_lflag & ECHO) out += "echo ";
  if (modes.c_lflag & ICANON) out += "cooked ";
  if (modes.c_lflag & ISIG) out += "signals";
  return out;
}

}  // namespace skein::test
