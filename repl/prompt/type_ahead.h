// The keyboard while a turn runs: a line below the live one. Enter queues it, Alt+Enter tells the
// model before its next step, Up takes the last one back, Esc and ^C stop the turn, ^B on an empty
// line lets its command go on in the background. Also updates the live line: one descriptor in the
// agent's poll serves both.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/event.h"
#include "repl/edit/draft.h"
#include "repl/prompt/prompt_line.h"
#include "repl/prompt/waiting_lines.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::prompt {

class TypeAhead {
 public:
  struct Parts {
    terminal::Keyboard& keyboard;
    screen::Screen& screen;
    std::atomic<bool>&stop, &to_background;  // the latter is set by ^B
    std::atomic<unsigned>& stops;            // counts what sets the former
    History& history;
    std::function<void(const edit::Draft&)> keep;
    Complete complete{};
    Steering steering{};
    bool enter_steers = false;  // and Alt+Enter queues
  };
  explicit TypeAhead(Parts parts);
  ~TypeAhead();
  TypeAhead(const TypeAhead&) = delete;
  TypeAhead& operator=(const TypeAhead&) = delete;

  model::Ports::Input input();
  const edit::Draft& draft() { return line_.line().draft(); }
  WaitingLines& waiting() { return waiting_; }
  // The lines that wait and the current one, as one draft.
  edit::Draft all();
  // After a stop: whether what waits is to be sent all the same, for Enter came behind the Esc.
  bool sends_after_stop() const { return sends_after_stop_; }
  void show();  // the lines as they are now
  // Keys typed before a question appears belong to the draft: waits for a pause in the typing.
  void let_typing_pause();

 private:
  void look();
  void take_keys();
  void use(const terminal::Key& key);
  void act(PromptLine::EditorAction action);
  void send(bool steers);
  void change_queue(std::string_view words);
  void take_back(std::size_t number);
  void stop();
  void tell(std::string text);
  std::string placeholder() const;
  void set_timer(std::chrono::milliseconds after) const;

  Parts parts_;
  PromptLine line_;
  terminal::ChordReader chords_;  // of what only a turn does
  WaitingLines waiting_;
  edit::Draft kept_{};
  bool sends_after_stop_ = false;
  std::chrono::steady_clock::time_point last_key_{};
  int timer_ = -1, both_ = -1;  // both: an epoll of the keyboard and the timer
};

}  // namespace skein::prompt
