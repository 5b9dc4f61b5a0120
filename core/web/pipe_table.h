// A table of a page while it is read, and as Markdown.
#pragma once

#include <string>
#include <vector>

namespace skein::web {

class PipeTable {
 public:
  void begin_row();
  void add_cell(std::string text);
  bool empty() const { return rows_.empty(); }
  // Every cell as a paragraph: what a table means that only arranges things.
  std::vector<std::string> cells() const;
  // Its first row is its head. With one column it is a list of paragraphs.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_{};
};

}  // namespace skein::web
