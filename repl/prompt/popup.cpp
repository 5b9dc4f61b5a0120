#include "repl/prompt/popup.h"

#include <algorithm>
#include <utility>

#include "core/text/base.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/pick/fuzzy.h"

namespace skein::prompt {

namespace {

std::string_view searched(const Choice& choice) {
  return choice.letters.empty() ? std::string_view(choice.text) : std::string_view(choice.letters);
}

// A file is known by its own name as well as by its path.
bool begins_with(std::string_view text, std::string_view letters) {
  return text.starts_with(letters) || text.substr(text.rfind('/') + 1).starts_with(letters);
}

}  // namespace

void Popup::refresh(std::string_view before_cursor) {
  Completion place = complete_ ? complete_(before_cursor) : Completion{};
  if (place.key != dismissed_) dismissed_.clear();
  if (place.key.empty() || !dismissed_.empty() || resting_) {
    fits_.clear();
    shown_ = false;
    if (place.key.empty()) forget();
    return;
  }
  const std::string_view letters = before_cursor.substr(place.letters);
  const bool same = place.key == place_.key;
  place_ = std::move(place);
  if (!same) {
    choices_ = place_.choices();
    texts_.clear();
    for (const Choice& each : choices_) texts_.emplace_back(searched(each));
    fits_.clear();
  }
  if (same && letters == letters_ && open()) return;
  const bool narrower = same && open() && letters.starts_with(letters_) && !letters_.empty();
  if (!narrower) {
    fits_.resize(texts_.size());
    for (std::size_t i = 0; i < fits_.size(); ++i) fits_[i] = i;
  }
  search(letters);
  if (count() == 1 && is_exact(before_cursor.substr(place_.from))) fits_.clear();
  choose_eagerly(letters);
}

void Popup::search(std::string_view letters) {
  letters_ = letters;
  if (!letters.empty()) {
    if (!std::ranges::is_sorted(fits_)) std::ranges::sort(fits_);  // ties keep their order
    fits_ = pick::fuzzy_among(letters, texts_, fits_);
  }
}

bool Popup::is_exact(std::string_view typed) const {
  std::string_view text = choices_[fits_.front()].text;
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text == typed;
}

void Popup::choose_eagerly(std::string_view letters) {
  chosen_ = none;
  if (!place_.eager || letters.empty() || !open()) return;
  const auto starts = [&](std::size_t at) { return begins_with(texts_[at], letters); };
  // What was typed is a name itself: Enter means that one.
  const auto exact =
      std::ranges::find_if(fits_, [&](std::size_t at) { return texts_[at] == letters; });
  if (exact != fits_.end()) {
    std::rotate(fits_.begin(), exact, exact + 1);
    return;
  }
  const auto found = std::ranges::find_if(fits_, starts);
  if (found == fits_.end()) return;
  std::rotate(fits_.begin(), found, found + 1);
  chosen_ = 0;
}

void Popup::rest() {
  fits_.clear();
  shown_ = false;
  resting_ = true;
}

void Popup::dismiss() {
  dismissed_ = place_.key;
  fits_.clear();
  shown_ = false;
}

void Popup::forget() {
  place_ = {};
  choices_.clear();
  texts_.clear();
  letters_.clear();
  fits_.clear();
  dismissed_.clear();
  shown_ = false;
}

bool Popup::move(int by) {
  if (by < 0 && (chosen_ == none || chosen_ == 0)) return false;
  if (by > 0) chosen_ = chosen_ == none ? 0 : std::min(chosen_ + 1, fits_.size() - 1);
  if (by < 0) --chosen_;
  return true;
}

const Choice* Popup::chosen() const {
  return open() && chosen_ != none ? &choices_[fits_[chosen_]] : nullptr;
}

std::string Popup::common_start(std::string_view typed) const {
  if (!open()) return {};
  std::string out = choices_[fits_.front()].text;
  for (const std::size_t at : fits_)
    while (!choices_[at].text.starts_with(out)) out.pop_back();
  while (!is_valid_utf8(out)) out.pop_back();
  return out.size() > typed.size() && out.starts_with(typed) ? out : std::string{};
}

std::vector<Popup::Row> Popup::rows(std::size_t columns, std::size_t most) const {
  std::vector<Row> out;
  if (!open() || most < 2 || columns < 10) return out;
  const std::size_t height = std::min(most - 1, count());
  const std::size_t chosen = chosen_ == none ? 0 : chosen_;
  const std::size_t first = chosen < height ? 0 : chosen - height + 1;
  std::size_t widest = 0;
  for (std::size_t i = first; i < first + height; ++i)
    widest = std::max(widest, layout::display_width(choices_[fits_[i]].text));
  const std::size_t names = std::min(widest, std::max<std::size_t>(16, columns * 3 / 5));
  for (std::size_t i = first; i < first + height; ++i) {
    const Choice& choice = choices_[fits_[i]];
    const bool is_chosen = i == chosen_;
    out.push_back(
        {.text = (is_chosen ? "› " : "  ") +
                 layout::padded(layout::fit(layout::sanitized_row(choice.text), names), names),
         .aside = choice.about.empty() ? "" : "  " + layout::sanitized_row(choice.about),
         .chosen = is_chosen});
  }
  out.push_back(
      {.text = {},
       .aside = "  " + std::to_string(height) + " of " + std::to_string(count()) +
                (chosen_ == none ? " · Tab or Down chooses" : " · Enter or Tab takes it") +
                " · Esc closes"});
  return out;
}

}  // namespace skein::prompt
