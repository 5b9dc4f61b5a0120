// Ends work on the files of a workspace when the user asks for that. Everything that may take long
// checks it. A look that was ended throws, so that a part of the files is never taken for all.
#pragma once

#include <functional>
#include <utility>

#include "core/text/base.h"

namespace skein::checkpoints {

class Stop {
 public:
  struct Stopped : Error {
    Stopped() : Error("stopped", ExitStatus::interrupted) {}
  };

  bool asked() const { return asked_ && asked_(); }
  void check() const {
    if (asked()) throw Stopped();
  }

  // As long as it exists, `asked` decides. Empty: nothing ends the work.
  class By {
   public:
    By(Stop& stop, std::function<bool()> asked)
        : stop_(stop), before_(std::exchange(stop.asked_, std::move(asked))) {}
    ~By() { stop_.asked_ = std::move(before_); }
    By(const By&) = delete;
    By& operator=(const By&) = delete;

   private:
    Stop& stop_;
    std::function<bool()> before_;
  };

 private:
  std::function<bool()> asked_{};
};

}  // namespace skein::checkpoints
