// The branches of a session, navigated with the arrow keys: the user chooses an entry and what to
// do from there.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/model/tree.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

struct TreeChoice {
  enum class What { nothing, go_on, branch, snapshot } what = What::nothing;
  Id entry{};
};

// `label` is called only for entries on the screen.
TreeChoice walk_tree_view(terminal::Keyboard& keyboard, const model::Tree& tree,
                          std::optional<Id> head,
                          const std::function<std::string(const model::Tree::Node&)>& label);

}  // namespace skein::pick
