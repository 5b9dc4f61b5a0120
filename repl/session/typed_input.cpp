#include "repl/session/typed_input.h"

#include "repl/pick/permission.h"

namespace skein::session {

prompt::LineEditor::ReadResult TypedInput::read(const std::string& prompt, edit::Draft& line) {
  parts_.stop = false;
  line = std::exchange(draft_, {});
  return editor_->read(prompt, line);
}

std::optional<edit::Draft> TypedInput::take_queued() {
  if (queued_.empty()) return std::nullopt;
  edit::Draft next = std::move(queued_.front());
  queued_.erase(queued_.begin());
  editor_->remember(next);
  return next;
}

void TypedInput::put_back(const std::string& prompt) {
  if (!queued_.empty() || !edit::whole(draft_).empty()) return;  // what was typed since counts more
  draft_ = edit::whole(line_) == prompt ? line_ : edit::Draft{prompt};
}

std::optional<std::string> TypedInput::revise(const std::string& text) {
  edit::Draft line{text};
  parts_.screen.flush();
  if (editor_->revise("edit › ", line) != prompt::LineEditor::ReadResult::line) return std::nullopt;
  begin_line(line, line.text);
  return edit::whole(line);
}

void TypedInput::enter(Id session) {
  session_ = session;
  draft_ = parts_.drafts.load(session);
}

void TypedInput::begin_ahead(prompt::Steering steering) {
  if (parts_.keyboard == nullptr) return;
  ahead_.emplace(prompt::TypeAhead::Parts{
      .keyboard = *parts_.keyboard,
      .screen = parts_.screen,
      .stop = parts_.stop,
      .to_background = to_background_,
      .stops = parts_.stops ? *parts_.stops : uncounted_,
      .history = parts_.history ? *parts_.history : no_history_,
      .keep = [this](const edit::Draft& draft) { keep(draft); },
      .complete = complete_,
      .steering = std::move(steering),
  });
  ahead_->show();
}

void TypedInput::end_ahead() {
  if (!ahead_) return;
  if (parts_.stop && !ahead_->sends_after_stop()) {
    draft_ = ahead_->all();
    ahead_->waiting().take_all();
  } else {
    for (edit::Draft& line : ahead_->waiting().take_all()) queued_.push_back(std::move(line));
    draft_ = ahead_->draft();
  }
  ahead_.reset();
  parts_.screen.set_input({});
}

void TypedInput::delivered(Id message) {
  if (!ahead_) return;
  if (const auto line = ahead_->waiting().delivered(message)) editor_->remember(*line);
  ahead_->show();
}

model::Answer TypedInput::ask(const model::Question& question) {
  if (ahead_) ahead_->let_typing_pause();
  if (parts_.keyboard)
    return pick::ask_permission(*parts_.keyboard, parts_.screen, question, parts_.stop);
  parts_.screen.show(question);
  // Without a keyboard there is no editing the call. A screen reader hears numbers.
  const std::vector<pick::Offer> offers = pick::offers_of(question, false);
  const bool numbers = parts_.screen.look().labels;
  std::string keys;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const std::string key(1, offers[i].key);
    const bool is_no = i + 1 == offers.size();
    keys += (i == 0 ? "" : is_no ? " or " : ", ") + key;
    parts_.screen.print_untrusted((numbers ? std::to_string(i + 1) + ": " : "  " + key + "  ") +
                                  (is_no ? "no" : offers[i].text) + "\n");
  }
  parts_.screen.print_untrusted((numbers ? "a number, or no and why (empty: no)"
                                         : keys + ", with an optional reason (empty: no)") +
                                std::string(" › "));
  const std::optional<std::string> line = read_answer();
  return line ? pick::permission_in(question, *line) : model::Answer{};
}

std::optional<std::string> TypedInput::inquire(const model::Inquiry& inquiry) {
  if (ahead_) ahead_->let_typing_pause();
  parts_.screen.show(model::Question{.text = (inquiry.header.empty() ? "" : inquiry.header + ": ") +
                                             inquiry.question});
  if (parts_.keyboard) return pick::inquire(*parts_.keyboard, parts_.screen, inquiry, parts_.stop);
  parts_.screen.print_untrusted(pick::options_text(inquiry));
  return pick::answer_in(inquiry, read_answer().value_or(""));
}

model::PlanReview TypedInput::review(const model::Plan& plan) {
  if (ahead_) ahead_->let_typing_pause();
  parts_.screen.show(plan);
  if (parts_.keyboard) return pick::review_plan(*parts_.keyboard, parts_.screen, plan, parts_.stop);
  parts_.screen.print(pick::plan_choices());
  return pick::review_in(plan, read_answer().value_or(""));
}

bool TypedInput::confirm(const std::string& question, pick::Enter enter) {
  if (editor_ == nullptr) return false;
  if (parts_.keyboard) return pick::ask_yes(*parts_.keyboard, parts_.screen, question, enter);
  parts_.screen.print_untrusted(question + std::string(pick::yes_or_no(enter)));
  const std::optional<std::string> line = read_answer();
  return line == "y" || line == "yes" || (line == "" && enter == pick::Enter::yes);
}

std::optional<std::size_t> TypedInput::choose(const std::string& title,
                                              const std::vector<std::string>& lines) {
  parts_.screen.print_untrusted(pick::numbered_list(title, lines));
  return pick::number_in(read_answer().value_or(""), lines.size());
}

std::optional<std::string> TypedInput::ask_line(const model::LineQuestion& question) {
  if (editor_ == nullptr) return std::nullopt;
  if (ahead_) ahead_->let_typing_pause();
  const std::string before = layout::sanitized_row(question.before);  // may come from a server
  parts_.screen.start_line();
  parts_.screen.print_untrusted(question.text + "\n");
  parts_.screen.flush();
  std::optional<std::string> line;
  if (parts_.keyboard) {
    line = pick::ask_line(*parts_.keyboard, "› ", before, &parts_.stop);
    parts_.screen.print_untrusted("› " + line.value_or("(no answer)") + "\n");
    return line;
  }
  if (!before.empty()) parts_.screen.print_untrusted("(Enter: " + before + ")\n");
  line = read_answer();
  return line && line->empty() ? before : line;
}

std::optional<std::string> TypedInput::read_answer() {
  edit::Draft draft;
  parts_.screen.flush();
  if (editor_->read("", draft) != prompt::LineEditor::ReadResult::line) return std::nullopt;
  return edit::whole(draft);
}

}  // namespace skein::session
