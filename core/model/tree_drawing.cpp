#include "core/model/tree_drawing.h"

#include <algorithm>
#include <utility>

namespace skein::model {

namespace {

struct Strokes {
  std::string_view fork, last, pass, none;
};
constexpr Strokes boxes{"├── ", "└── ", "│   ", "    "};
constexpr Strokes ascii{"|-- ", "`-- ", "|   ", "    "};

std::size_t depth_of(const Tree& tree) {
  const std::vector<std::size_t> depths = tree.depths();
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < depths.size(); ++i)
    if (!tree.nodes()[i].marginal) deepest = std::max(deepest, depths[i]);
  return deepest;
}

template <class Visit>
void each_line(const Tree& tree, const TreeDrawing& drawing, Visit visit) {
  const Strokes& strokes = drawing.ascii ? ascii : boxes;
  const bool nested = depth_of(tree) <= drawing.nested_depth;

  // A stack of our own: a conversation may be deeper than the machine's.
  struct Step {
    const Tree::Node* node;
    std::string indent;
    bool last;
    bool in_line;  // an only child drawn below its parent, without a stroke
  };
  std::vector<Step> steps;
  const auto push = [&](const std::vector<const Tree::Node*>& nodes, const std::string& indent,
                        bool in_line) {
    for (std::size_t i = nodes.size(); i-- > 0;)
      steps.push_back({nodes[i], indent, i + 1 == nodes.size(), in_line});
  };
  push(tree.roots(), "", false);
  while (!steps.empty()) {
    const Step step = std::move(steps.back());
    steps.pop_back();
    const std::string_view stroke = step.in_line ? "" : step.last ? strokes.last : strokes.fork;
    visit(TreeLine{step.indent + std::string(stroke), step.node});
    const std::string inner =
        step.in_line ? step.indent
                     : step.indent + std::string(step.last ? strokes.none : strokes.pass);
    const std::vector<const Tree::Node*> children = tree.children(step.node->id);
    push(children, inner, !nested && children.size() == 1);
  }
}

}  // namespace

std::vector<TreeLine> tree_lines(const Tree& tree, const TreeDrawing& drawing) {
  std::vector<TreeLine> out;
  each_line(tree, drawing, [&](TreeLine line) { out.push_back(std::move(line)); });
  return out;
}

void draw(const Tree& tree, const TreeDrawing& drawing,
          const std::function<void(const std::string&)>& print) {
  print("root\n");
  each_line(tree, drawing,
            [&](const TreeLine& line) { print(line.stem + drawing.label(*line.node) + "\n"); });
}

}  // namespace skein::model
