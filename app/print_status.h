// What `skein -p` is doing, on one line of the terminal that standard error is: painted over while
// the turn runs, and gone before anything else is written.
#pragma once

#include <cstdint>

#include "core/model/event.h"
#include "core/text/fd.h"
#include "repl/screen/activity.h"
#include "repl/screen/screen.h"

namespace skein::app {

class PrintStatus {
 public:
  // `parts` are of standard error; where nothing can be painted over, nothing is written.
  PrintStatus(screen::Screen::Parts parts, bool wanted);
  PrintStatus(const PrintStatus&) = delete;
  PrintStatus& operator=(const PrintStatus&) = delete;
  ~PrintStatus() { erase(); }

  // Looked at while the turn waits; paints the line about ten times a second.
  model::Ports::Input input();
  void hear(const model::Event& event);
  void erase();

 private:
  void paint();

  screen::Screen::Parts parts_;
  Fd timer_{};  // none: nothing is shown
  screen::Activity activity_{};
  std::int64_t begun_ = 0;
  unsigned frame_ = 0;
  bool painted_ = false;
};

}  // namespace skein::app
