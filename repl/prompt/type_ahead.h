// The keyboard while a turn runs: what is typed becomes the next draft, Enter queues it, Esc and ^C
// stop the turn, ^B on an empty line lets its command go on in the background. Also updates the
// live line: one descriptor in the agent's poll serves both.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <vector>

#include "core/model/event.h"
#include "repl/edit/line_edit.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::prompt {

class TypeAhead {
 public:
  // `to_background`: set by ^B.
  TypeAhead(terminal::Keyboard& keyboard, screen::Screen& screen, std::atomic<bool>& stop,
            std::atomic<bool>& to_background, std::function<void(const edit::Draft&)> keep);
  ~TypeAhead();
  TypeAhead(const TypeAhead&) = delete;
  TypeAhead& operator=(const TypeAhead&) = delete;

  model::Ports::Input input();
  const edit::Draft& draft() const { return line_.draft(); }
  const std::vector<edit::Draft>& queued() const { return queued_; }
  // The queued lines and the current one, as one draft.
  edit::Draft all() const;
  // Keys typed before a question appears belong to the draft: waits for a pause in the typing.
  void let_typing_pause();

 private:
  void look();
  void take_keys();
  void use(const terminal::Key& key);
  void show();
  void set_timer(std::chrono::milliseconds after) const;

  terminal::Keyboard& keyboard_;
  screen::Screen& screen_;
  std::atomic<bool>&stop_, &to_background_;
  std::function<void(const edit::Draft&)> keep_;
  edit::LineEdit line_{};
  std::vector<edit::Draft> queued_{};
  edit::Draft kept_{};
  std::chrono::steady_clock::time_point last_key_{};
  int timer_ = -1, both_ = -1;  // both: an epoll of the keyboard and the timer
};

}  // namespace skein::prompt
