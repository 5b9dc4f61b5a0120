// What stands below the text while a turn runs: what happens, what a command has printed last, the
// lines that wait and the line being typed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "repl/layout/style.h"

namespace skein::screen {

// One row; both texts are safe, and cut where the window ends.
struct LiveRow {
  std::string text{};
  layout::Style style{};
  std::string aside{};  // shown dim behind it
  bool operator==(const LiveRow&) const = default;
};

struct LiveRegion {
  struct Caret {
    std::size_t row = 0, column = 0;
    bool operator==(const Caret&) const = default;
  };
  std::vector<LiveRow> rows{};
  std::optional<Caret> caret{};  // where the cursor is left; none: behind the last row
  bool operator==(const LiveRegion&) const = default;
};

// The rows of the user's own part of it, the cursor in them.
struct LiveInput {
  LiveRegion region{};
  bool used = false;  // something was typed or waits: it stays visible while text streams
  bool operator==(const LiveInput&) const = default;
};

}  // namespace skein::screen
