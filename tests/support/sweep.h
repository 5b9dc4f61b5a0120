// What every sweep does: count states, tell the first few that were wrong, end with one line.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace skein::test {

class Sweep {
 public:
  explicit Sweep(std::string name) : name_(std::move(name)) {}

  // A state that was looked at. `reproduce` is only asked when it was wrong.
  template <class Reproduce>
  bool check(bool right, Reproduce reproduce) {
    if (right) return true;
    std::fprintf(stderr, "%s: wrong: %s\n", name_.c_str(), std::string(reproduce()).c_str());
    if (++wrong_ < 10) return false;
    end("states, then given up");
    std::exit(1);
  }
  void count(std::size_t states = 1) { states_ += states; }
  std::size_t states() const { return states_; }

  int end(const std::string& what) const {
    std::printf("%s: %zu %s, %zu wrong\n", name_.c_str(), states_, what.c_str(), wrong_);
    return wrong_ == 0 && states_ > 0 ? 0 : 1;
  }

 private:
  std::string name_;
  std::size_t states_ = 0, wrong_ = 0;
};

}  // namespace skein::test
