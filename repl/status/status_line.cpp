#include "repl/status/status_line.h"

#include <algorithm>
#include <utility>

#include "repl/layout/width.h"
#include "repl/status/facts_json.h"
#include "repl/status/items.h"

namespace skein::status {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_starts{300}, glance_at_command{50};

}  // namespace

StatusLine::StatusLine(Parts parts) : parts_(std::move(parts)), opened_(parts_.now()) {
  if (parts_.run) command_.emplace(parts_.run);
}

std::vector<Row> StatusLine::rows(std::size_t columns) {
  if (!parts_.look.live || columns < 2 || (!command_ && parts_.items.empty())) return {};
  facts_ = parts_.facts();
  const std::size_t width = columns - 1;  // the last column is where terminals differ
  std::vector<Row> out;
  if (command_) {
    out = safe_rows(printed_, width, parts_.look.colour);
  } else if (std::string text = items_text(parts_.items, facts_, width); !text.empty()) {
    const std::size_t used = layout::display_width(text);
    out.push_back({std::move(text), used});
  }
  for (Row& row : out)
    if (row.text.find('\033') == std::string::npos)
      row.text = layout::painted(row.text, layout::style::dim, parts_.look);
  return out;
}

bool StatusLine::is_due() const {
  const Clock::time_point now = parts_.now();
  if (!told_) return true;
  if (now - started_ < between_starts) return false;
  return *told_ != facts_ || (parts_.refresh.count() > 0 && now - started_ >= parts_.refresh);
}

std::optional<milliseconds> StatusLine::look_again() {
  if (!command_ || !parts_.look.live) return std::nullopt;
  if (!command_->running() && is_due()) {
    started_ = parts_.now();
    told_ = facts_;
    const auto open = std::chrono::duration_cast<milliseconds>(started_ - opened_);
    command_->start(facts_json(facts_, open.count()) + "\n");
  }
  if (command_->running()) return glance_at_command;
  const auto since = std::chrono::duration_cast<milliseconds>(parts_.now() - started_);
  if (*told_ != facts_) return std::max(milliseconds(1), between_starts - since);
  if (parts_.refresh.count() == 0) return std::nullopt;
  return std::max(milliseconds(1), std::max(parts_.refresh, between_starts) - since);
}

bool StatusLine::changed() {
  if (!command_) return false;
  std::optional<BackgroundCommand::End> end = command_->take();
  if (!end) return false;
  if (end->trouble.empty() && safe_rows(end->output, 80, false).empty())
    end->trouble = "it printed nothing";
  if (end->trouble.empty()) return std::exchange(printed_, end->output) != end->output;
  if (!std::exchange(complained_, true)) trouble_ = end->trouble;
  return !trouble_.empty();
}

void StatusLine::tell() {
  if (!trouble_.empty() && parts_.tell) parts_.tell(std::exchange(trouble_, {}));
}

}  // namespace skein::status
