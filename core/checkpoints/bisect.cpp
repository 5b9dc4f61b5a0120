#include "core/checkpoints/bisect.h"

#include <set>

namespace skein::checkpoints {

namespace {

// The state between two that is nearest to the middle and has not been skipped; `bad`: there is
// none.
std::size_t next_between(std::size_t good, std::size_t bad, const std::set<std::size_t>& skipped) {
  const std::size_t middle = good + (bad - good) / 2;
  for (std::size_t away = 0; away < bad - good; ++away) {
    if (middle + away < bad && middle + away > good && !skipped.contains(middle + away))
      return middle + away;
    if (middle >= away && middle - away > good && !skipped.contains(middle - away))
      return middle - away;
  }
  return bad;
}

}  // namespace

Bisected bisect(std::size_t states, const std::function<Verdict(std::size_t)>& test) {
  Bisected out{.good = 0, .bad = states - 1};
  const auto tried = [&](std::size_t state) {
    ++out.tests;
    return test(state);
  };
  using Kind = Bisected::Kind;
  const Verdict end = tried(out.bad);
  if (end != Verdict::bad) {
    out.kind = end == Verdict::good ? Kind::good_at_end : Kind::unclear;
    return out;
  }
  const Verdict start = tried(out.good);
  if (start != Verdict::good) {
    out.kind = start == Verdict::bad ? Kind::bad_at_start : Kind::unclear;
    return out;
  }
  std::set<std::size_t> skipped;
  for (std::size_t next; (next = next_between(out.good, out.bad, skipped)) != out.bad;) {
    switch (tried(next)) {
      case Verdict::good: out.good = next; break;
      case Verdict::bad: out.bad = next; break;
      case Verdict::skip: skipped.insert(next); break;
    }
  }
  out.kind = Kind::found;
  return out;
}

}  // namespace skein::checkpoints
