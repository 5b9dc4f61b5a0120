#include "repl/prompt/waiting_lines.h"

#include <algorithm>
#include <utility>

#include "repl/layout/sanitize.h"

namespace skein::prompt {

void WaitingLines::steer(edit::Draft line) {
  std::optional<Id> message = steering_.hand_over ? steering_.hand_over(line) : std::optional<Id>{};
  lines_.push_back({std::move(line), message});
}

std::optional<edit::Draft> WaitingLines::delivered(Id message) {
  const auto line = std::ranges::find(lines_, std::optional(message), &Line::steers);
  if (line == lines_.end()) return std::nullopt;
  edit::Draft out = std::move(line->draft);
  lines_.erase(line);
  return out;
}

std::optional<edit::Draft> WaitingLines::take_back(std::size_t number) {
  if (number == 0 || number > lines_.size()) return std::nullopt;
  const auto line = lines_.begin() + static_cast<std::ptrdiff_t>(number - 1);
  if (line->steers && !steering_.take_back(*line->steers)) return std::nullopt;
  edit::Draft out = std::move(line->draft);
  lines_.erase(line);
  return out;
}

std::vector<edit::Draft> WaitingLines::take_all() {
  std::vector<edit::Draft> out;
  for (Line& line : lines_) {
    if (line.steers) steering_.take_back(*line.steers);
    out.push_back(std::move(line.draft));
  }
  lines_.clear();
  return out;
}

std::vector<edit::Draft> WaitingLines::drafts() const {
  std::vector<edit::Draft> out;
  for (const Line& line : lines_) out.push_back(line.draft);
  return out;
}

std::vector<std::string> WaitingLines::described() const {
  std::vector<std::string> out;
  for (const Line& line : lines_)
    out.push_back("#" + std::to_string(out.size() + 1) +
                  (line.steers ? " steers · " : " queued · ") +
                  layout::sanitized_row(line.draft.text));
  return out;
}

}  // namespace skein::prompt
