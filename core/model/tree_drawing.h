// A tree drawn with box characters, or with ASCII where there are none.
#pragma once

#include <functional>
#include <string>

#include "core/model/tree.h"

namespace skein::model {

struct TreeDrawing {
  // An entry as one line. Not made safe for a terminal here.
  std::function<std::string(const Tree::Node&)> label{};
  bool ascii = false;
  // A chain of single children is nested up to this depth; in deeper trees it stays in one column,
  // so that a long conversation does not walk off the screen.
  std::size_t nested_depth = 32;
};

// The lines below "root": what is drawn before an entry's label, and the entry.
struct TreeLine {
  std::string stem{};
  const Tree::Node* node = nullptr;
};
std::vector<TreeLine> tree_lines(const Tree& tree, const TreeDrawing& drawing);

// Line by line, each with its newline.
void draw(const Tree& tree, const TreeDrawing& drawing,
          const std::function<void(const std::string&)>& print);

}  // namespace skein::model
