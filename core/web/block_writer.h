// Markdown, a block at a time: paragraphs, headings and code inside of quotes and lists, each line
// with the marks of what it is in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skein::web {

class BlockWriter {
 public:
  explicit BlockWriter(std::size_t most) : most_(most) {}  // bytes, about

  // A block of one or more lines; nothing if it is blank.
  void write(std::string_view block);

  // What the blocks from now on are in: a quote with "> ", an item with "- " or "12. ", whose mark
  // stands in front of its first line only.
  void enter(std::string mark, bool every_line = false);
  void leave();

  std::size_t size() const { return out_.size(); }
  const std::string& text() const { return out_; }

 private:
  struct Container {
    std::string mark;
    bool every_line;
    bool fresh = true;
  };
  bool is_fresh() const;
  std::string prefix();

  std::size_t most_;
  std::size_t deeper_ = 0;  // containers that are no longer marked
  std::vector<Container> inside_{};
  std::string out_{};
  bool item_before_ = false;  // the last block was in a list
};

}  // namespace skein::web
