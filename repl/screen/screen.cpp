#include "repl/screen/screen.h"

#include <utility>

#include "core/model/ending.h"
#include "core/model/entry_words.h"
#include "core/model/turns.h"
#include "core/text/amounts.h"
#include "repl/layout/flow.h"
#include "repl/screen/live_view.h"
#include "repl/screen/markdown/highlight.h"
#include "repl/screen/prompt_view.h"
#include "repl/screen/todo_view.h"

namespace skein::screen {

using layout::painted, layout::sanitized, layout::wrapped;

namespace {

constexpr std::int64_t silence = 1000;  // ms without text, after which the live line comes back

}  // namespace

Screen::Screen(Parts parts)
    : parts_(std::move(parts)),
      output_(parts_.port, parts_.look),
      text_(parts_.look),
      thinking_(parts_.look) {}

Screen::~Screen() {
  output_.set_live({});
  output_.flush();
}

void Screen::print(std::string_view text) {
  output_.add(wrapped(text, output_.width()));
  output_.flush();
}

void Screen::print_untrusted(std::string_view text) { print(sanitized(text)); }

void Screen::note(std::string_view untrusted) {
  say(sanitized(untrusted), style::dim);
  output_.flush();
}

void Screen::separate() {
  start_line();
  if (!output_.take_added() || !parts_.look.live) return;
  output_.add("\n");
  output_.flush();
  output_.take_added();
}

void Screen::show_sent(const std::string& prompt, std::string_view untrusted) {
  output_.add(prompt + painted(sanitized(untrusted), style::own, parts_.look) + "\n");
  output_.flush();
}

void Screen::pass_on(std::string_view untrusted) {
  output_.add(sanitized(untrusted));
  output_.flush();
}

void Screen::flush() { output_.flush(); }

void Screen::pause() {
  output_.set_live({});
  start_line();
}

void Screen::interrupt() {
  output_.add(text_.interrupt());
  if (thinking_.begun()) output_.add(thinking_.interrupt());
}

void Screen::start_line() {
  interrupt();
  if (!output_.at_line_start()) output_.add("\n");
  output_.flush();
}

// A message of our own, on its own line.
void Screen::say(std::string_view safe, Style style) {
  interrupt();
  if (!output_.at_line_start()) output_.add("\n");
  output_.add(painted(wrapped(safe, output_.width()), style, parts_.look) + "\n");
}

void Screen::show(const model::Event& event) {
  activity_.hear(event, output_.now());
  std::visit([this](const auto& each) { on(each); }, event);
  output_.flush_if_due();
}

void Screen::on(const model::Streaming& event) {
  if (!std::holds_alternative<model::delta::Failed>(event.delta)) tell_of_retries();
  if (const auto* text = std::get_if<model::delta::TextPiece>(&event.delta)) {
    add_text(text->text);
    streamed_ = true;
  } else if (const auto* thinking = std::get_if<model::delta::ThinkingPiece>(&event.delta)) {
    add_thinking(thinking->text);
    streamed_ = true;
  } else if (std::holds_alternative<model::delta::ToolStart>(event.delta)) {
    end_text();
  }
}

void Screen::add_text(std::string_view untrusted) {
  if (!thinking_.empty()) end_text();
  if (!untrusted.empty()) last_text_ = output_.now();
  flow(text_.add(untrusted, output_.width()));
}

void Screen::add_thinking(std::string_view untrusted) {
  if (text_.begun()) end_text();
  thinking_.add(untrusted);
  if (thinking_whole_) show_thinking();
}

// Word by word, like the text of an answer.
void Screen::show_thinking() {
  last_text_ = output_.now();
  if (!thinking_.begun() && !output_.at_line_start()) output_.add("\n");
  flow(thinking_.flow(output_.width()));
}

// While text streams no live line is needed, but what was typed stays visible.
void Screen::flow(const std::string& shown) {
  if (shown.empty()) return;
  if (!input_.used) output_.set_live({});
  output_.add(shown);
}

void Screen::end_text() {
  output_.add(text_.end());
  if (thinking_.empty()) return;
  if (thinking_whole_) return output_.add(thinking_.end(output_.width()));
  // What the user has seen the beginning of is not begun again.
  if (thinking_.begun())
    folded_ = folded_thinking(thinking_.text());
  else
    show_view(view_of_thinking(thinking_.text(), output_.width(), parts_.look));
  thinking_.clear();
}

void Screen::show_view(const ToolView& view) {
  if (!output_.at_line_start()) output_.add("\n");
  output_.add(view.shown);
  if (view.folded != Folded{}) folded_ = view.folded;
}

void Screen::on(const model::Committed& event) {
  const auto message = model::message_of(event.entry);
  if (!message) return;
  activity_.hear(message->role, output_.now());
  end_text();
  if (message->role == model::Role::user) {
    if (message->continuation && whole_turn_) return;
    // A prompt was shown when it was typed; one that steers is shown where it is heard.
    if (model::is_steered(event.entry)) return show_prompt(event.entry, *message);
    calls_.clear();
    todo_.clear();
    return begin_turn();
  }
  if (message->role == model::Role::tool || !streamed_)
    show_message(*message);
  else
    for (const model::ToolUse* call : model::tool_uses(*message))
      calls_.insert_or_assign(call->id, *call);
  note_answer(*message);
  streamed_ = false;
}

void Screen::begin_turn() {
  turn_ = {};
  whole_turn_ = true;
  partly_kept_ = false;
}

void Screen::note_answer(const model::Message& message) {
  add(turn_, message);
  if (message.role == model::Role::assistant)
    partly_kept_ = message.stop == model::Stop::aborted && !message.content.empty();
}

void Screen::on(const model::ToolStarted& event) {
  end_text();
  calls_.insert_or_assign(event.call.id, event.call);
  running_ = event.call.id;
  if (parts_.look.labels) say("tool: " + title_of(event.call, parts_.tools), style::plain);
}

void Screen::on(const model::Notice& event) {
  const Style style = event.level == model::Notice::Level::error     ? style::bad
                      : event.level == model::Notice::Level::warning ? style::warning
                                                                     : style::dim;
  say(sanitized(event.text), style);
}

// Where there is a live line it counts down, and one line remains of all the waits.
void Screen::on(const model::Retrying& event) {
  end_text();
  streamed_ = false;
  turn_.retried = true;
  retry_reason_ = sanitized(event.reason);
  if (parts_.look.live) {
    ++retries_;
    return;
  }
  say(retry_reason_ + "; trying again in " + std::to_string((event.wait.count() + 999) / 1000) +
          " s (Ctrl+C stops)",
      style::warning);
}

// The answer begins. If it never does, the error says how often it was tried.
void Screen::tell_of_retries() {
  const int retries = std::exchange(retries_, 0);
  if (retries == 0) return;
  say(retry_reason_ + "; answered after " +
          counted(static_cast<std::size_t>(retries), "retry", "retries"),
      style::dim);
}

void Screen::show(const model::Question& question) {
  end_text();
  // A command of one line stands in the question itself.
  if (question.text.find(question.detail) == std::string::npos) {
    say(markdown::painted_diff(sanitized(question.detail), parts_.look), style::plain);
    asked_about_ = running_;
  }
  say(sanitized(question.text), style::strong);
  output_.set_live({});
  output_.flush();
}

void Screen::show(const model::Plan& plan) {
  end_text();
  if (!plan.title.empty()) say(sanitized(plan.title), style::strong);
  add_text(plan.text);
  end_text();
  output_.set_live({});
  start_line();
}

void Screen::show(const layout::Table& table) {
  print(layout::drawn(table, output_.width(), parts_.look));
}

void Screen::show_diff(std::string_view untrusted) {
  say(markdown::painted_diff(sanitized(untrusted), parts_.look), style::plain);
}

void Screen::show_message(const model::Message& message) {
  for (const model::Block& block : message.content) {
    if (const auto* text = std::get_if<model::Text>(&block)) add_text(text->text);
    if (const auto* thinking = std::get_if<model::Thinking>(&block)) {
      if (!thinking_.empty()) end_text();
      add_thinking(thinking->thinking);
    }
    if (const auto* call = std::get_if<model::ToolUse>(&block))
      calls_.insert_or_assign(call->id, *call);
    if (const auto* result = std::get_if<model::ToolResult>(&block))
      show_result(*result, message.duration_ms);
  }
  end_text();
}

void Screen::show_result(const model::ToolResult& result, std::int64_t duration_ms) {
  const auto call = calls_.find(result.tool_use_id);
  show_view(view_of({.call = call == calls_.end() ? nullptr : &call->second,
                     .result = result,
                     .duration_ms = duration_ms,
                     .with_diff = asked_about_.empty() || asked_about_ != result.tool_use_id},
                    parts_.tools, output_.width(), parts_.look));
  asked_about_.clear();
  if (call != calls_.end() && !result.is_error) show_todo(call->second);
}

void Screen::show_todo(const model::ToolUse& call) {
  if (call.name != plan::todo_tool) return;
  plan::TodoList list = plan::read_todo(call.input).items;
  output_.add(todo_view(list, todo_, output_.width(), parts_.look));
  todo_ = std::move(list);
}

void Screen::show_prompt(const model::Entry& entry, const model::Message& message) {
  const ToolView view = view_of_prompt(entry, message, parts_.look);
  say(view.shown, style::plain);
  if (view.folded != Folded{}) folded_ = view.folded;
}

void Screen::show_aside(const model::Aside& aside) {
  say(painted("beside the conversation: ", style::dim, parts_.look) +
          painted(sanitized(aside.question), style::strong, parts_.look),
      style::plain);
  add_text(aside.answer);
  end_text();
  say(sanitized(aside.model) + " · not part of the conversation", style::dim);
}

void Screen::replay(const model::Entry& entry) {
  const auto message = model::message_of(entry);
  if (const auto aside = model::aside_of(entry)) {
    show_aside(*aside);
  } else if (!message) {
    say(sanitized(model::kind_of(entry) + ": " + model::preview(entry, 200)), style::dim);
  } else if (message->continuation) {
    say(model::preview(entry, 60), style::dim);
    if (!model::tells_changes(entry)) begin_turn();
  } else if (message->role == model::Role::user) {
    show_prompt(entry, *message);
    if (!model::is_steered(entry)) begin_turn();
  } else {
    show_message(*message);
    note_answer(*message);
    if (message->role == model::Role::assistant && model::tool_uses(*message).empty())
      show_end(message->stop, message->error, model::is_empty_answer(*message));
  }
  output_.flush_if_due();
}

std::string Screen::drawn(const std::function<void()>& show) {
  start_line();
  output_.hold();
  show();
  start_line();
  return output_.take_held();
}

void Screen::print_drawn(std::string_view drawn) {
  output_.add(drawn);
  output_.flush();
}

void Screen::fold(std::string title, std::string whole) {
  folded_ = {.title = std::move(title), .text = std::move(whole), .drawn = true};
}

// The same words live and in a replay.
void Screen::show_end(model::Stop stop, std::string_view error, bool empty) {
  end_text();
  if (stop == model::Stop::aborted)
    say(partly_kept_ ? "■ stopped. The partial answer is kept." : "■ stopped.", style::warning);
  const model::Ending ending = model::ending_of(stop, error, empty);
  if (stop == model::Stop::error)
    say("error: " + sanitized(ending.text), style::bad);
  else if (!ending.text.empty())
    say(sanitized(ending.text) + "; /continue goes on", style::warning);
  if (whole_turn_ && turn_.calls > 0) {
    parts_.account(turn_);
    say(sanitized(summary_text(turn_)), style::dim);
  }
  turn_ = {};
  whole_turn_ = false;
  partly_kept_ = false;
}

void Screen::end_turn(model::Stop stop, std::string_view error, bool empty) {
  show_end(stop, error, empty);
  activity_.end();
  input_ = {};  // it moves to the next line
  output_.set_live({});
  running_.clear();
  asked_about_.clear();
  streamed_ = false;
  retries_ = 0;
  start_line();
}

void Screen::expand_last() {
  start_line();
  if (folded_ == Folded{})
    say("nothing is folded", style::dim);
  else
    output_.add(unfolded(folded_, output_.width(), parts_.look));
  output_.flush();
}

void Screen::change_thinking() {
  thinking_whole_ = !thinking_whole_;
  say(thinking_whole_ ? "showing all of the thinking" : "showing one line of thinking", style::dim);
  if (thinking_whole_ && !thinking_.empty()) show_thinking();
  output_.flush();
}

void Screen::tick() {
  if (!parts_.look.live) return;
  activity_.begin(output_.now());
  ++frame_;
  const bool silent = output_.now() - last_text_ >= silence;
  // Below an unfinished line the live line would only get in the way of the text.
  if (!output_.at_line_start() && !input_.used && !silent) return output_.flush_if_due();
  if (silent) output_.add(text_.pause());
  if (thinking_.begun() && silent) output_.add(thinking_.pause());
  paint_live();
}

void Screen::set_input(LiveInput input) {
  if (input_ == input) return;
  input_ = std::move(input);
  if (activity_.begun()) paint_live();
}

void Screen::paint_live() {
  const bool thinks_below = !thinking_.empty() && !thinking_whole_;
  output_.set_live(live_view(
      {.activity = activity_,
       .todo = todo_,
       .thinking = thinks_below ? &thinking_ : nullptr,
       .input = input_.region},
      {.now = output_.now(), .frame = frame_, .width = output_.width(), .height = output_.height()},
      parts_.look));
  output_.flush_if_due();
}

}  // namespace skein::screen
