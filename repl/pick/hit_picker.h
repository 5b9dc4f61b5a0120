// What a search found, as a list to walk through with the arrow keys: open one, branch off there,
// or read it first.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/search/search.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

struct HitRow {
  std::string heading{};  // of its session, before the first of it; else empty
  search::Hit hit{};
};

struct HitChoice {
  enum class What { nothing, open, branch } what = What::nothing;
  std::size_t row = 0;
};

// `preview` gives the lines of one, and is called only when they are asked for.
HitChoice pick_hit(terminal::Keyboard& keyboard, const std::vector<HitRow>& rows,
                   const std::function<std::vector<std::string>(const search::Hit&)>& preview);

}  // namespace skein::pick
