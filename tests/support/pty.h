// A pseudo-terminal: what a program sees as its terminal, with us in the place of the person.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skein::test {

class Pty {
 public:
  explicit Pty(int columns = 80, int rows = 24);
  ~Pty();
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  int slave() const { return slave_; }
  // Whatever is shown meanwhile is read, so that nobody waits for anybody.
  void type(std::string_view bytes);
  void resize(int columns, int rows) const;
  // Everything shown so far; reads on until `enough` is true of it or the time is over.
  const std::string& shown(const std::function<bool(const std::string&)>& enough, int ms = 60'000);
  bool shows(std::string_view text, int ms = 60'000);
  void forget() { shown_.clear(); }

  // The same until the program has ended; its status as a shell tells it, or nothing.
  std::optional<int> status_of(pid_t program, int ms = 60'000);

  // A program with this as its controlling terminal.
  pid_t start(const std::vector<std::string>& words, const std::function<void()>& before_exec = {});
  // skein with a home, a state folder and a workspace of its own in `folder`.
  pid_t start_skein(const std::string& folder, std::vector<std::string> words = {});
  // Its echo, line mode and signal keys, "echo cooked signals" if all is as a shell left it.
  std::string modes() const;
  // Bracketed paste was switched off and the cursor on, if they ever were otherwise.
  bool left_tidy();

 private:
  bool read_some(int ms, short events);
  int master_ = -1, slave_ = -1;
  std::string shown_{};
};

}  // namespace skein::test
