#include "repl/prompt/prompt_line.h"

#include <algorithm>
#include <utility>

namespace skein::prompt {

namespace {

using Code = terminal::Key::Code;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds double_escape{600};

terminal::Key with_shift(Code code) {
  terminal::Key out = terminal::key(code);
  out.shift = true;
  return out;
}

}  // namespace

const std::vector<PromptLine::Binding>& PromptLine::bindings() {
  static const std::vector<Binding> table{
      {terminal::key(Code::enter), &PromptLine::enter},
      {terminal::ctrl('c'), &PromptLine::wants<EditorAction::abort>},
      {terminal::ctrl('d'), &PromptLine::leave_or_delete},
      {terminal::key(Code::escape), &PromptLine::escape},
      {terminal::key(Code::right), &PromptLine::right},
      {terminal::ctrl('f'), &PromptLine::right},
      {terminal::key(Code::end), &PromptLine::end},
      {terminal::ctrl('e'), &PromptLine::end},
      {terminal::alt('f'), &PromptLine::word_right},
      {terminal::key(Code::up), &PromptLine::up},
      {terminal::ctrl('p'), &PromptLine::up},
      {terminal::key(Code::down), &PromptLine::down},
      {terminal::ctrl('n'), &PromptLine::down},
      {terminal::ctrl('r'), &PromptLine::wants<EditorAction::search>},
      {terminal::key(Code::tab), &PromptLine::wants<EditorAction::complete>},
      {with_shift(Code::tab), &PromptLine::wants<EditorAction::cycle_mode>},
      {terminal::ctrl('g'), &PromptLine::wants<EditorAction::edit_elsewhere>},
      {terminal::ctrl('x'), &PromptLine::begin_chord},
      {terminal::ctrl('l'), &PromptLine::wants<EditorAction::clear_screen>},
      {terminal::ctrl('o'), &PromptLine::wants<EditorAction::expand>},
      {terminal::ctrl('t'), &PromptLine::show_thinking_or_transpose},
      {terminal::ctrl('z'), &PromptLine::wants<EditorAction::suspend>},
  };
  return table;
}

void PromptLine::start(edit::Draft draft) {
  line_.start(std::move(draft));
  ghost_.clear();
  recalled_.reset();
  chord_ = false;
}

PromptLine::EditorAction PromptLine::use(const terminal::Key& key) {
  if (std::exchange(chord_, false) && key == terminal::ctrl('e'))
    return EditorAction::edit_elsewhere;
  if (text().empty() && terminal::typed(key) == "?") return say("?");
  const auto found = std::ranges::find(bindings(), key, &Binding::key);
  if (found != bindings().end()) return (this->*found->run)();
  if (line_.apply(key)) recalled_.reset();
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::say(std::string_view text) {
  line_.start({.text = std::string(text)});
  return EditorAction::send;
}

PromptLine::EditorAction PromptLine::enter() {
  const std::size_t cursor = line_.cursor();
  if (cursor == 0 || text()[cursor - 1] != '\\') return EditorAction::send;
  line_.replace(cursor - 1, "\n");
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::leave_or_delete() {
  if (text().empty()) return EditorAction::leave;
  line_.apply(terminal::ctrl('d'));
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::escape() {
  const auto now = Clock::now();
  const bool twice = now - std::exchange(escaped_, now) < double_escape;
  return twice && text().empty() ? say("/tree") : EditorAction::none;
}

PromptLine::EditorAction PromptLine::show_thinking_or_transpose() {
  if (text().empty()) return EditorAction::show_thinking;
  line_.apply(terminal::ctrl('t'));
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::begin_chord() {
  chord_ = true;
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::accept_or(const terminal::Key& key) {
  recalled_.reset();
  if (!ghost_.empty() && line_.at_end())
    line_.insert(std::exchange(ghost_, {}));
  else
    line_.apply(key);
  return EditorAction::none;
}
PromptLine::EditorAction PromptLine::right() { return accept_or(terminal::key(Code::right)); }
PromptLine::EditorAction PromptLine::end() { return accept_or(terminal::key(Code::end)); }

PromptLine::EditorAction PromptLine::word_right() {
  if (ghost_.empty() || !line_.at_end()) return accept_or(terminal::alt('f'));
  const std::size_t word = std::min(ghost_.find_first_not_of(" \n"), ghost_.size());
  line_.insert(ghost_.substr(0, ghost_.find_first_of(" \n", word)));
  recalled_.reset();
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::up() {
  if (!line_.up()) recall(&History::before);
  return EditorAction::none;
}

PromptLine::EditorAction PromptLine::down() {
  if (!line_.down() && recalled_) recall(&History::after);
  return EditorAction::none;
}

// Moving through the history begins and ends at the line as it was typed.
void PromptLine::recall(std::optional<std::size_t> (History::*find)(std::size_t,
                                                                    std::string_view)) {
  const std::size_t newest = history_.lines().size();
  if (!recalled_) typed_ = text();
  const auto found = (history_.*find)(recalled_.value_or(newest), typed_);
  if (!found && find == &History::before) return;
  recalled_ = found;
  line_.set(found ? history_.lines()[*found] : typed_);
}

std::string PromptLine::hint() {
  ghost_.clear();
  if (!line_.at_end() || text().empty()) return {};
  if (std::string known = hint_ ? hint_(text()) : std::string{}; !known.empty()) return known;
  if (!recalled_) ghost_ = history_.rest_of(text());
  return ghost_.substr(0, ghost_.find('\n'));
}

}  // namespace skein::prompt
