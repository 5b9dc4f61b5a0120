// A pseudo-terminal: what a program sees as its terminal, with us in the place of the person.
#pragma once

#include <sys/types.h>

#include <functional>
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
  void type(std::string_view bytes) const;
  void resize(int columns, int rows) const;
  // Everything shown so far; reads on until `enough` is true of it or the time is over.
  const std::string& shown(const std::function<bool(const std::string&)>& enough, int ms = 20'000);
  bool shows(std::string_view text, int ms = 20'000);
  void forget() { shown_.clear(); }

  // A program with this as its controlling terminal.
  pid_t start(const std::vector<std::string>& words, const std::function<void()>& before_exec = {});
  // Its echo, line mode and signal keys, "echo cooked signals" if all is as a shell left it.
  std::string modes() const;

 private:
  int master_ = -1, slave_ = -1;
  std::string shown_{};
};

}  // namespace skein::test
