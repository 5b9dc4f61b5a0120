#include "repl/input/prompt_line.h"

#include <algorithm>
#include <utility>

namespace skein {

namespace {

using Code = Key::Code;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds double_escape{600};

Key with_shift(Code code) {
  Key out = key(code);
  out.shift = true;
  return out;
}

}  // namespace

const std::vector<PromptLine::Binding>& PromptLine::bindings() {
  static const std::vector<Binding> table{
      {key(Code::enter), &PromptLine::enter},
      {ctrl('c'), &PromptLine::wants<Wish::abort>},
      {ctrl('d'), &PromptLine::leave_or_delete},
      {key(Code::escape), &PromptLine::escape},
      {key(Code::right), &PromptLine::right},
      {ctrl('f'), &PromptLine::right},
      {key(Code::end), &PromptLine::end},
      {ctrl('e'), &PromptLine::end},
      {alt('f'), &PromptLine::word_right},
      {key(Code::up), &PromptLine::up},
      {ctrl('p'), &PromptLine::up},
      {key(Code::down), &PromptLine::down},
      {ctrl('n'), &PromptLine::down},
      {ctrl('r'), &PromptLine::wants<Wish::search>},
      {key(Code::tab), &PromptLine::wants<Wish::complete>},
      {with_shift(Code::tab), &PromptLine::wants<Wish::cycle_mode>},
      {ctrl('g'), &PromptLine::wants<Wish::edit_elsewhere>},
      {ctrl('x'), &PromptLine::begin_chord},
      {ctrl('l'), &PromptLine::wants<Wish::clear_screen>},
      {ctrl('o'), &PromptLine::wants<Wish::expand>},
      {ctrl('t'), &PromptLine::show_thinking_or_transpose},
      {ctrl('z'), &PromptLine::wants<Wish::suspend>},
  };
  return table;
}

void PromptLine::start(Draft draft) {
  line_.start(std::move(draft));
  ghost_.clear();
  recalled_.reset();
  chord_ = false;
}

PromptLine::Wish PromptLine::use(const Key& key) {
  if (std::exchange(chord_, false) && key == ctrl('e')) return Wish::edit_elsewhere;
  if (text().empty() && typed(key) == "?") return say("?");
  const auto found = std::ranges::find(bindings(), key, &Binding::key);
  if (found != bindings().end()) return (this->*found->run)();
  if (line_.apply(key)) recalled_.reset();
  return Wish::none;
}

PromptLine::Wish PromptLine::say(std::string_view text) {
  line_.start({.text = std::string(text)});
  return Wish::send;
}

PromptLine::Wish PromptLine::enter() {
  const std::size_t cursor = line_.cursor();
  if (cursor == 0 || text()[cursor - 1] != '\\') return Wish::send;
  line_.replace(cursor - 1, "\n");
  return Wish::none;
}

PromptLine::Wish PromptLine::leave_or_delete() {
  if (text().empty()) return Wish::leave;
  line_.apply(ctrl('d'));
  return Wish::none;
}

PromptLine::Wish PromptLine::escape() {
  const auto now = Clock::now();
  const bool twice = now - std::exchange(escaped_, now) < double_escape;
  return twice && text().empty() ? say("/tree") : Wish::none;
}

PromptLine::Wish PromptLine::show_thinking_or_transpose() {
  if (text().empty()) return Wish::show_thinking;
  line_.apply(ctrl('t'));
  return Wish::none;
}

PromptLine::Wish PromptLine::begin_chord() {
  chord_ = true;
  return Wish::none;
}

PromptLine::Wish PromptLine::accept_or(const Key& key) {
  recalled_.reset();
  if (!ghost_.empty() && line_.at_end())
    line_.insert(std::exchange(ghost_, {}));
  else
    line_.apply(key);
  return Wish::none;
}
PromptLine::Wish PromptLine::right() { return accept_or(key(Code::right)); }
PromptLine::Wish PromptLine::end() { return accept_or(key(Code::end)); }

PromptLine::Wish PromptLine::word_right() {
  if (ghost_.empty() || !line_.at_end()) return accept_or(alt('f'));
  const std::size_t word = std::min(ghost_.find_first_not_of(" \n"), ghost_.size());
  line_.insert(ghost_.substr(0, ghost_.find_first_of(" \n", word)));
  recalled_.reset();
  return Wish::none;
}

PromptLine::Wish PromptLine::up() {
  if (!line_.up()) recall(&History::before);
  return Wish::none;
}

PromptLine::Wish PromptLine::down() {
  if (!line_.down() && recalled_) recall(&History::after);
  return Wish::none;
}

// The line as it was typed is where the way through the history begins and ends.
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

}  // namespace skein
