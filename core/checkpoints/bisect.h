// Binary search over states in time for the step that broke something. Pure: who asks runs the
// test.
#pragma once

#include <cstddef>
#include <functional>

namespace skein::checkpoints {

enum class Verdict { good, bad, skip };

struct Bisected {
  enum class Kind {
    found,  // between `good` and `bad` it broke; if they are not neighbours, what lies between
            // could not be tested
    good_at_end,   // the last state is good
    bad_at_start,  // the first one is bad
    unclear,       // the first or the last state cannot be tested
  } kind = Kind::unclear;
  std::size_t good = 0, bad = 0;
  std::size_t tests = 0;
};

// Of at least two states; each is tested at most once.
Bisected bisect(std::size_t states, const std::function<Verdict(std::size_t)>& test);

}  // namespace skein::checkpoints
