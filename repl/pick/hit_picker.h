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
  search::Hit hit{};
};

// A search while its list is on the screen: it hands over rows as it finds them, and asks now and
// then whether to go on.
class HitSink {
 public:
  virtual ~HitSink() = default;
  virtual void add(HitRow row) = 0;
  virtual bool go_on(std::size_t looked_through, std::size_t sessions) = 0;
};
using HitSearch = std::function<bool(HitSink& sink)>;  // whether all was looked through

// The list appears at once and grows while `search` runs; Esc or Ctrl+C stops that and keeps what
// is there. `preview` gives the lines of a hit, and is called only when they are asked for.
// `nothing`: none was chosen, or none was found.
HitChoice pick_hit(terminal::Keyboard& keyboard, const HitSearch& search,
                   const std::function<std::vector<std::string>(const search::Hit&)>& preview);

}  // namespace skein::pick
