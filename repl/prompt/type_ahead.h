// The keyboard while a turn runs: a line below the live one. Enter queues it, Alt+Enter steers the
// model before its next step, Up takes the last one back, Esc and ^C stop the turn, ^B on an empty
// line moves its command to the background. The same descriptor in the agent's poll updates both.
#pragma once

#include "core/model/event.h"
#include "core/text/base.h"
#include "core/text/io.h"
#include "repl/edit/line_edit.h"
#include "repl/prompt/prompt_line.h"
#include "repl/screen/output.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"
#include "repl/terminal/terminal.h"

namespace skein::prompt {

// The user's rows below a running turn: waiting lines, the line being typed, and its completions.
struct InputParts {
  std::vector<std::string> waiting{};  // see WaitingLines::described
  const edit::LineEdit& line;
  std::string_view hint{};  // shown dim behind the line
  const Popup* popup = nullptr;
};

// Room is left for the live line and two rows of text above.
screen::LiveInput live_input(const InputParts& parts, const terminal::Terminal::Size& size);

// The way into a running turn; empty functions: there is none.
struct Steering {
  // Nothing: it could not be handed over, and has to wait.
  std::function<std::optional<Id>(const edit::Draft& line)> hand_over{};
  // True: the turn will never see it.
  std::function<bool(Id message)> take_back{};
};

// The lines that were sent while a turn runs: queued ones come after it, one that steers is given
// to the model with its next request. Until then each can be taken back, and is then never sent.
class WaitingLines {
 public:
  explicit WaitingLines(Steering steering = {}) : steering_(std::move(steering)) {}

  void queue(edit::Draft line) { lines_.push_back({std::move(line), {}}); }
  void steer(edit::Draft line);
  // What was handed over has reached the model and is saved. Nothing: it was none of these.
  std::optional<edit::Draft> delivered(Id message);
  // The n-th of them, from 1; nothing: there is none, or it is on its way already.
  std::optional<edit::Draft> take_back(std::size_t number);
  // All of them, in order, when the turn is over: what has not been delivered never will be.
  std::vector<edit::Draft> take_all();

  bool empty() const { return lines_.empty(); }
  std::size_t size() const { return lines_.size(); }
  std::string text() const {  // of all of them, with line ends
    std::string out;
    for (const Line& line : lines_) out += edit::whole(line.draft) + "\n";
    return out;
  }
  // One row each, the oldest first: "#1 queued · fix the tests too".
  std::vector<std::string> described() const;

 private:
  struct Line {
    edit::Draft draft;
    std::optional<Id> steers{};
  };

  Steering steering_;
  std::vector<Line> lines_{};
};

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
  };
  explicit TypeAhead(Parts parts);

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
  void act(Action action);
  void send(bool steers);
  void change_queue(std::string_view words);
  void take_back(std::size_t number);
  void stop();
  void tell(std::string text);
  std::string placeholder() const;
  void watch(int fd) const;
  void set_timer(std::chrono::milliseconds after) const;

  Parts parts_;
  PromptLine line_;
  terminal::ChordReader chords_;  // of what only a turn does
  WaitingLines waiting_;
  edit::Draft kept_{};
  bool sends_after_stop_ = false;
  std::chrono::steady_clock::time_point last_key_{};
  Fd timer_, both_;  // both: an epoll of the keyboard and the timer
};

}  // namespace skein::prompt
