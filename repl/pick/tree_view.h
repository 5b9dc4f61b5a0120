// The branches of a session, walked with the arrow keys: an entry is chosen, and what to do from
// it.
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

// `label` is asked for what is on the screen only.
TreeChoice walk_tree_view(terminal::Keyboard& keyboard, const model::Tree& tree,
                          std::optional<Id> head,
                          const std::function<std::string(const model::Tree::Node&)>& label);

}  // namespace skein::pick
