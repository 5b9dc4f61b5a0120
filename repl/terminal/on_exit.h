// Something to do when a block ends, however it ends: to give the terminal back, to restore a
// setting.
#pragma once

#include "core/text/std.h"

namespace skein::terminal {

template <class Do>
class [[nodiscard]] OnExit {
 public:
  explicit OnExit(Do what) : do_(std::move(what)) {}
  ~OnExit() { do_(); }
  OnExit(const OnExit&) = delete;
  OnExit& operator=(const OnExit&) = delete;

 private:
  Do do_;
};

}  // namespace skein::terminal
