#include "core/web/block_writer.h"

#include <algorithm>
#include <utility>

#include "core/text/text.h"

namespace skein::web {

// The marks of what is deeper than anyone reads would outgrow the text.
constexpr std::size_t deepest_mark = 16;

void BlockWriter::enter(std::string mark, bool every_line) {
  if (inside_.size() < deepest_mark)
    inside_.push_back({std::move(mark), every_line});
  else
    ++deeper_;
}

void BlockWriter::leave() {
  if (deeper_ > 0)
    --deeper_;
  else if (!inside_.empty())
    inside_.pop_back();
}

// It begins an item.
bool BlockWriter::is_fresh() const {
  return std::ranges::any_of(inside_,
                             [](const Container& each) { return each.fresh && !each.every_line; });
}

std::string BlockWriter::prefix() {
  std::string out;
  for (Container& each : inside_) {
    const bool marked = each.every_line || each.fresh;
    out += marked ? each.mark : std::string(each.mark.size(), ' ');
    each.fresh = false;
  }
  return out;
}

void BlockWriter::write(std::string_view block) {
  block = trimmed(block, "\n");
  if (trimmed(block).empty()) return;
  // Items follow each other closely; all else has a blank line in front.
  const bool item = is_fresh();
  if (!out_.empty() && !(item && item_before_)) {
    for (const Container& each : inside_)
      if (each.every_line && !each.fresh) out_ += each.mark;
    while (out_.ends_with(' ')) out_.pop_back();
    out_ += '\n';
  }
  item_before_ = item || (item_before_ && std::ranges::any_of(inside_, [](const Container& each) {
                            return !each.every_line;
                          }));
  while (!block.empty() && out_.size() < most_) {
    const std::size_t end = std::min(block.find('\n'), block.size());
    out_.append(prefix()).append(block.substr(0, end));
    while (out_.ends_with(' ')) out_.pop_back();
    out_ += '\n';
    block.remove_prefix(std::min(end + 1, block.size()));
  }
}

}  // namespace skein::web
