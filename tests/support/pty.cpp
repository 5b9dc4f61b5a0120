#include "tests/support/pty.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

#include "core/base.h"

namespace skein::test {

Pty::Pty(int columns, int rows) : master_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  std::array<char, 64> name{};
  if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0 ||
      ptsname_r(master_, name.data(), name.size()) != 0)
    throw Error("no pseudo-terminal to be had");
  slave_ = open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  resize(columns, rows);
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

// What is shown is read meanwhile by `shown`; a program that does not read its keys fills the
// queue.
void Pty::type(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = write(master_, bytes.data(), bytes.size());
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

const std::string& Pty::shown(const std::function<bool(const std::string&)>& enough, int ms) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(ms);
  while (!enough(shown_)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd ready{master_, POLLIN, 0};
    if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) <= 0) break;
    std::array<char, 65536> buffer;
    const ssize_t count = read(master_, buffer.data(), buffer.size());
    if (count <= 0) break;
    shown_.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return shown_;
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
  if (before_exec) before_exec();
  execv(arguments[0], arguments.data());
  _exit(127);
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
