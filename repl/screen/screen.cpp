#include "repl/screen/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/model/tree.h"
#include "core/text/text.h"
#include "repl/layout/width.h"

namespace skein::screen {

using layout::sanitized_row, layout::sanitized, layout::wrapped, layout::wrapped_by_parts;

namespace {

constexpr std::size_t most_printed = 5;  // lines of a running command
constexpr std::int64_t silence = 1000;   // ms without text, after which the live line comes back

winsize size_of(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    size.ws_col = 80;
    size.ws_row = 24;
  }
  return size;
}

std::int64_t steady_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

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

void Screen::print(std::string_view text) { print_drawn(wrapped(text, output_.width())); }

void Screen::print_untrusted(std::string_view text) { print(sanitized(text)); }

void Screen::print_each(const std::vector<std::string>& untrusted, std::string_view indent) {
  for (const std::string& line : untrusted) print_untrusted(std::string(indent) + line + "\n");
}

void Screen::show_fact(std::string_view name, std::string_view safe, std::size_t column) {
  if (look().labels) return print(std::string(name) + ": " + std::string(safe) + "\n");
  print(painted(layout::padded(std::string(name), column), style::dim, look()) +
        layout::hanging(safe, column, width()) + "\n");
}

void Screen::note(std::string_view untrusted) {
  interrupt();
  begin_part(Part::work);
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
  print_drawn(prompt + painted(sanitized(untrusted), style::own, parts_.look) + "\n");
}

void Screen::pause() {
  output_.set_live({});
  start_line();
}

void Screen::interrupt() {
  add_part(Part::text, text_.interrupt());
  if (thinking_.begun()) add_part(Part::work, thinking_.interrupt());
}

void Screen::begin_line() {
  if (!output_.at_line_start()) output_.add("\n");
}

void Screen::start_line() {
  interrupt();
  begin_line();
  output_.flush();
}

// A message of skein's, on a separate line.
void Screen::say(std::string_view safe, Style style) {
  interrupt();
  begin_line();
  output_.add(painted(wrapped(safe, output_.width()), style, parts_.look) + "\n");
}

void Screen::show(const model::Event& event) {
  activity_.hear(event, output_.now());
  std::visit([this](const auto& each) { on(each); }, event);
  output_.flush_if_due();
}

void Screen::on(const model::Streaming& event) {
  // The answer begins. If it never does, the error says how often it was tried.
  if (retries_ > 0 && !std::holds_alternative<model::delta::Failed>(event.delta))
    say(retry_reason_ + "; answered after " +
            counted(std::exchange(retries_, 0u), "retry", "retries"),
        style::dim);
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
  if (untrusted.empty()) return;
  last_text_ = output_.now();
  const std::string label = look().labels && !text_.begun() ? "assistant: " : "";
  text_.set_width(output_.width());
  flow(Part::text, label + text_.feed(untrusted));
}

void Screen::add_thinking(std::string_view untrusted) {
  if (text_.begun()) end_text();
  thinking_.add(untrusted);
  if (thinking_whole_) show_thinking();
}

// Word by word, like the text of an answer.
void Screen::show_thinking() {
  last_text_ = output_.now();
  if (!thinking_.begun()) begin_line();
  flow(Part::work, thinking_.flow(output_.width()));
}

bool Screen::begin_part(Part part) {
  if (!whole_turn_ || !parts_.look.live) return false;
  const Part before = std::exchange(part_, part);
  if (before == Part::none || before == part) return false;
  begin_line();
  output_.add("\n");
  return true;
}

// A paragraph that was interrupted may have a blank line due itself.
void Screen::add_part(Part part, std::string_view shown) {
  if (shown.empty()) return;
  if (begin_part(part) && shown.starts_with('\n')) shown.remove_prefix(1);
  output_.add(shown);
}

// While text streams no live line is needed, but what was typed stays visible.
void Screen::flow(Part part, const std::string& shown) {
  if (shown.empty()) return;
  if (!input_.used) output_.set_live({});
  add_part(part, shown);
}

void Screen::end_text() {
  add_part(Part::text, text_.end());
  if (thinking_.empty()) return;
  if (thinking_whole_) return add_part(Part::work, thinking_.end(output_.width()));
  // What the user has seen the beginning of is not begun again.
  if (thinking_.begun())
    folded_ = folded_thinking(thinking_.text());
  else
    show_view(view_of_thinking(thinking_.text(), output_.width(), parts_.look));
  thinking_.clear();
}

void Screen::show_view(const ToolView& view) {
  begin_line();
  add_part(Part::work, view.shown);
  if (view.folded != FoldedOutput{}) folded_ = view.folded;
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
    show_message(*message, event.entry.meta);
  else
    for (const model::ToolUse* call : model::tool_uses(*message))
      calls_.insert_or_assign(call->id, *call);
  note_answer(*message);
  streamed_ = false;
}

void Screen::begin_turn() {
  turn_ = {};
  part_ = Part::prompt;
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

void Screen::show(const model::Question& question) {
  end_text();
  begin_part(Part::work);
  const bool command = question.kind == model::Question::Kind::command;
  // A command of one line is part of the question itself.
  if (!command && question.text.find(question.detail) == std::string::npos) {
    show_diff(question.detail);
    asked_about_ = running_;
  }
  say(sanitized(question.text), style::strong);
  if (command)
    for (const std::string_view line : split(question.detail, '\n'))
      say("  " + sanitized(line), style::plain);
  output_.set_live({});
  output_.flush();
}

void Screen::show(const model::Plan& plan) {
  end_text();
  begin_part(Part::text);
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

void Screen::show_message(const model::Message& message, const JsonText& meta) {
  for (const model::Block& block : message.content) {
    if (const auto* text = std::get_if<model::Text>(&block)) add_text(text->text);
    if (const auto* thinking = std::get_if<model::Thinking>(&block)) {
      if (!thinking_.empty()) end_text();
      add_thinking(thinking->thinking);
    }
    if (const auto* call = std::get_if<model::ToolUse>(&block))
      calls_.insert_or_assign(call->id, *call);
    if (const auto* result = std::get_if<model::ToolResult>(&block))
      show_result(*result, meta, message.duration_ms);
  }
  end_text();
}

void Screen::show_result(const model::ToolResult& result, const JsonText& meta,
                         std::int64_t duration_ms) {
  const auto call = calls_.find(result.tool_use_id);
  show_view(view_of({.call = call == calls_.end() ? nullptr : &call->second,
                     .result = result,
                     .meta = meta,
                     .duration_ms = duration_ms,
                     .with_diff = asked_about_.empty() || asked_about_ != result.tool_use_id},
                    parts_.tools, output_.width(), parts_.look));
  asked_about_.clear();
  if (call == calls_.end() || result.is_error || call->second.name != plan::todo_tool) return;
  plan::TodoList list = plan::read_todo(call->second.input).items;
  output_.add(todo_view(list, todo_, output_.width(), parts_.look));
  todo_ = std::move(list);
}

void Screen::show_prompt(const model::Entry& entry, const model::Message& message) {
  const ToolView view = view_of_prompt(entry, message, parts_.look);
  part_ = Part::prompt;
  say(view.shown, style::plain);
  if (view.folded != FoldedOutput{}) folded_ = view.folded;
}

void Screen::show_aside(const model::Aside& aside) {
  say(painted("side question: ", style::dim, parts_.look) +
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
    show_message(*message, entry.meta);
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
    say(sanitized(ending.text) + "; /continue resumes", style::warning);
  if (whole_turn_ && turn_.calls > 0) {
    parts_.account(turn_);
    say(wrapped_by_parts(sanitized(summary_text(turn_)), width()), style::dim);
  }
  turn_ = {};
  part_ = Part::none;
  whole_turn_ = false;
  partly_kept_ = false;
}

void Screen::end_turn(model::Stop stop, std::string_view error, bool empty,
                      std::chrono::nanoseconds worked) {
  // Calls that run at the same time take their time once.
  if (worked.count() > 0)
    turn_.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(worked).count();
  turn_.live = true;
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
  if (folded_ == FoldedOutput{})
    say("nothing to show: no output is folded", style::dim);
  else
    output_.add(unfolded(folded_, output_.width(), parts_.look));
  output_.flush();
}

void Screen::change_thinking() {
  thinking_whole_ = !thinking_whole_;
  say(thinking_whole_ ? "showing all thinking" : "showing one line of thinking", style::dim);
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
  if (silent) add_part(Part::text, text_.pause());
  if (thinking_.begun() && silent) add_part(Part::work, thinking_.pause());
  paint_live();
}

void Screen::set_input(LiveInput input) {
  if (input_ == input) return;
  input_ = std::move(input);
  if (activity_.begun()) paint_live();
}

LiveRegion Screen::live_rows() const {
  LiveRegion out;
  const std::size_t width = output_.width(), height = output_.height();
  if (width <= 1) return out;
  Status status = activity_.at(output_.now());
  status.todo = todo_part(todo_);
  status.frame = frame_;
  status.stop_key = parts_.look.stop_key;
  out.rows.push_back({status_text(status, width - 1), style::dim});
  const std::string mark = "  " + thinking_mark(parts_.look);
  if (!thinking_.empty() && !thinking_whole_ && width > mark.size())
    if (const std::string latest = thinking_.latest(width - mark.size()); !latest.empty())
      out.rows.push_back({mark + latest, style::dim | style::emphasis});
  for (const std::string& row : status.rows)
    out.rows.push_back({"  " + sanitized_row(row), style::dim});
  const LiveRegion& input = input_.region;
  // Two rows are left to the text, or nothing could be put back in its place.
  const std::size_t taken = input.rows.size() + out.rows.size() + 2;
  for (const std::string& line :
       activity_.printed(std::min(most_printed, layout::left_of(height, taken))))
    out.rows.push_back({"  │ " + sanitized_row(line), style::dim});
  if (input.caret) out.caret = {input.caret->row + out.rows.size(), input.caret->column};
  out.rows.insert(out.rows.end(), input.rows.begin(), input.rows.end());
  return out;
}

void Screen::paint_live() {
  output_.set_live(live_rows());
  output_.flush_if_due();
}

Screen::Parts screen_parts(int fd, std::string_view colour, bool screen_reader) {
  return {.port = {.write = [fd](std::string_view bytes) { write_all(fd, bytes); },
                   .clock = steady_ms,
                   .width = [fd] { return std::size_t{size_of(fd).ws_col}; },
                   .height = [fd] { return std::size_t{size_of(fd).ws_row}; }},
          .look = layout::look_for({.terminal = isatty(fd) == 1,
                                    .screen_reader = screen_reader,
                                    .colour = colour,
                                    .no_color = env("NO_COLOR"),
                                    .force_color = env("FORCE_COLOR"),
                                    .term = env("TERM")})};
}

}  // namespace skein::screen
