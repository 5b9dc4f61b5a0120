// The branches of a session, walked with the arrow keys: an entry is chosen, and what to do from
// it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/tree.h"
#include "repl/input/keyboard.h"

namespace skein {

struct TreeChoice {
  enum class What { nothing, go_on, branch, snapshot } what = What::nothing;
  Id entry{};
};

// `label` is asked for what is on the screen only.
TreeChoice walk_tree_view(Keyboard& keyboard, const Tree& tree, std::optional<Id> head,
                          const std::function<std::string(const Tree::Node&)>& label);

}  // namespace skein
