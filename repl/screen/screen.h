// The one sink for everything that is shown, live and replayed from disk.
#pragma once

#include "core/model/entry.h"
#include "core/model/event.h"
#include "core/model/tool.h"
#include "core/plan/todo_list.h"
#include "repl/layout/table.h"
#include "repl/screen/activity.h"
#include "repl/screen/markdown/markdown.h"
#include "repl/screen/output.h"
#include "repl/screen/thinking_stream.h"
#include "repl/screen/turn_view.h"

namespace skein::screen {

class Screen {
 public:
  struct Parts {
    TerminalOutput::Port port;
    TerminalStyle look{};
    const model::Tools* tools = nullptr;  // for the titles of calls; may be null
    // Adds what only a catalog of models knows: cost, window; and what sub-agents cost.
    std::function<void(TurnSummary&)> account = [](TurnSummary&) {};
  };
  explicit Screen(Parts parts);
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  // Our own text, already safe; long lines are broken between words.
  void print(std::string_view text);
  // Text that contains foreign parts: names, errors. Control characters are made visible.
  void print_untrusted(std::string_view text);
  void print_each(const std::vector<std::string>& untrusted, std::string_view indent = {});
  // A fact in two columns, the second of which begins at `column`. `name` is ours.
  void show_fact(std::string_view name, std::string_view safe, std::size_t column);
  // Output in pieces as it arrives, sanitized.
  void pass_on(std::string_view untrusted) { print_drawn(layout::sanitized(untrusted)); }
  void note(std::string_view untrusted);  // a line that matters less
  void start_line();                      // if we are not at the start of one
  // An empty line before the next prompt, if anything was shown since the last one.
  void separate();
  void flush() { output_.flush(); }  // puts everything so far on the screen
  void pause();  // before another program uses the terminal: removes the live line

  void show(const model::Event& event);
  // Shows a question with the exact command or diff it is about; the caller reads the answer.
  void show(const model::Question& question);
  void show(const model::Plan& plan);
  void show(const layout::Table& table);
  void show_diff(std::string_view untrusted);
  // A line that was sent, as the prompt would leave it; `prompt` is ours.
  void show_sent(const std::string& prompt, std::string_view untrusted);
  // Shows a saved entry as it looked originally. Call flush() after the last one.
  void replay(const model::Entry& entry);
  // What `show` would print, without printing it: whole lines.
  std::string drawn(const std::function<void()>& show);
  void print_drawn(std::string_view drawn);  // that, or a part of it
  // What was left out of it, for expand_last(); `whole` was drawn.
  void fold(std::string title, std::string whole);
  // Everything from here to end_turn() belongs to one turn.
  void begin_turn();
  // Shows how the turn ended, and a summary of it. `worked`: how long it took without the time that
  // questions waited for the user; zero: what its parts say is added up.
  void end_turn(model::Stop stop, std::string_view error, bool empty = false,
                std::chrono::nanoseconds worked = {});
  // Prints in full what was last folded: a tool's result, a diff, thinking.
  void expand_last();
  // Switches between showing thinking in full as it arrives and showing one line of it.
  void change_thinking();

  // Updates the live line; called about ten times a second while a turn runs.
  void tick();
  // What the user has typed during the turn, shown below it.
  void set_input(LiveInput input);

  const TerminalStyle& look() const { return parts_.look; }
  void name_keys(std::string unfold, std::string stop) {
    parts_.look.unfold_key = std::move(unfold);
    parts_.look.stop_key = std::move(stop);
  }
  std::size_t width() const { return output_.width(); }  // 0: not a terminal
  std::size_t height() const { return output_.height(); }

 private:
  void on(const model::Streaming& event);
  void on(const model::Committed& event);
  void on(const model::ToolStarted& event);
  void on(const model::ToolOutput&) {}  // shown below the live line only
  void on(const model::ToolEnded&) { running_.clear(); }
  void on(const model::Notice& event);
  void on(const model::Retrying& event);

  void add_text(std::string_view untrusted);
  void add_thinking(std::string_view untrusted);
  void show_thinking();
  // What a turn consists of; a blank line is between its parts, at a terminal.
  enum class Part { none, prompt, text, work };
  bool begin_part(Part part);  // whether there was a blank line to show
  void add_part(Part part, std::string_view shown);
  void flow(Part part, const std::string& shown);
  void interrupt();  // what flows: something else begins on a new line
  void end_text();   // and thinking: the message is over, or something else begins
  void say(std::string_view safe, Style style);
  void show_message(const model::Message& message, const JsonText& meta);
  void show_aside(const model::Aside& aside);
  void show_prompt(const model::Entry& entry, const model::Message& message);
  void show_result(const model::ToolResult& result, const JsonText& meta, std::int64_t duration_ms);
  void note_answer(const model::Message& message);
  void show_end(model::Stop stop, std::string_view error, bool empty);
  void show_view(const ToolView& view);
  void begin_line();  // if we are not at the start of one
  LiveRegion live_rows() const;
  void paint_live();

  Parts parts_;
  TerminalOutput output_;
  markdown::Markdown text_;
  ThinkingStream thinking_;
  bool thinking_whole_ = false;
  bool streamed_ = false;  // something of the message that will be committed next

  std::map<std::string, model::ToolUse> calls_{};  // of this turn, by id
  std::string running_{};                          // the running call
  std::string asked_about_{};                      // the call whose diff was shown with a question
  FoldedOutput folded_{};
  TurnSummary turn_{};
  Part part_ = Part::none;    // what was shown last
  bool whole_turn_ = false;   // begin_turn() was called
  bool partly_kept_ = false;  // the last answer was cut short, and something of it is saved

  std::size_t retries_ = 0;  // of the running request
  std::string retry_reason_{};

  plan::TodoList todo_{};  // as this turn has shown it
  Activity activity_{};
  LiveInput input_{};
  unsigned frame_ = 0;
  std::int64_t last_text_ = 0;  // when a piece of text last came
};

// A screen on a file descriptor; its look depends on the descriptor and the environment.
Screen::Parts screen_parts(int fd, std::string_view colour, bool screen_reader);

}  // namespace skein::screen
