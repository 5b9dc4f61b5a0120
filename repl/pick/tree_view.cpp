#include "repl/pick/tree_view.h"

#include <algorithm>

#include "core/model/tree_drawing.h"
#include "repl/pick/list_keys.h"
#include "repl/terminal/inline_panel.h"

namespace skein::pick {

namespace {

using Code = terminal::Key::Code;
using What = TreeChoice::What;

class TreeView {
 public:
  TreeView(terminal::Keyboard& keyboard, const model::Tree& tree, std::optional<Id> head,
           const std::function<std::string(const model::Tree::Node&)>& label)
      : keyboard_(keyboard),
        lines_(model::tree_lines(tree, {.nested_depth = 6})),
        label_(label),
        panel_(keyboard.terminal()) {
    const auto at_head = std::ranges::find_if(
        lines_, [&](const model::TreeLine& line) { return line.node->id == head; });
    if (at_head != lines_.end()) chosen_ = static_cast<std::size_t>(at_head - lines_.begin());
  }

  TreeChoice run() {
    while (const auto pressed = keyboard_.next_after([this] { draw(); })) {
      const terminal::Key& key = *pressed;
      const std::string letter = terminal::typed(key);
      if (leaves_list(keyboard_, key)) return {};
      if (key.code == Code::enter) return {What::go_on, lines_[chosen_].node->id};
      if (letter == "b") return {What::branch, lines_[chosen_].node->id};
      if (letter == "s") return {What::snapshot, lines_[chosen_].node->id};
      if (key == terminal::ctrl('z')) panel_.suspend();
      chosen_ = chosen_after(key, chosen_, lines_.size(), rows());
    }
    return {};
  }

 private:
  std::size_t rows() const {
    return static_cast<std::size_t>(std::clamp(keyboard_.terminal().size().rows - 3, 1, 20));
  }

  void draw() {
    using Style = terminal::InlinePanel::Line::Style;
    // Keeps the chosen line on the screen, with its ancestors above.
    const std::size_t height = rows();
    first_ = std::clamp(first_, chosen_ < height ? 0 : chosen_ - height + 1, chosen_);
    std::vector<terminal::InlinePanel::Line> lines;
    for (std::size_t i = first_; i < std::min(first_ + height, lines_.size()); ++i)
      lines.push_back({i == chosen_ ? Style::chosen : Style::plain,
                       (i == chosen_ ? "› " : "  ") + lines_[i].stem + label_(*lines_[i].node)});
    const terminal::Caret cursor{static_cast<int>(chosen_ - first_), 0};
    lines.push_back({Style::dim, "  " + std::to_string(chosen_ + 1) + " of " +
                                     std::to_string(lines_.size()) +
                                     " · Enter continues here · b branch · s snapshot · Esc"});
    panel_.show(lines, cursor);
  }

  terminal::Keyboard& keyboard_;
  std::vector<model::TreeLine> lines_;
  const std::function<std::string(const model::Tree::Node&)>& label_;
  terminal::InlinePanel panel_;
  std::size_t chosen_ = 0, first_ = 0;
};

}  // namespace

TreeChoice walk_tree_view(terminal::Keyboard& keyboard, const model::Tree& tree,
                          std::optional<Id> head,
                          const std::function<std::string(const model::Tree::Node&)>& label) {
  if (tree.roots().empty()) return {};
  const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
  return TreeView(keyboard, tree, head, label).run();
}

}  // namespace skein::pick
