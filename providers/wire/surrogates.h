// Surrogate pairs that a provider cut in two. JSON libraries refuse a lone \ud834, so before an
// event is parsed each lone surrogate is written as a character of the last private-use range; the
// joiner turns these back, across the borders of events, or into U+FFFD where no half fits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/event.h"

namespace skein::wire {

// Rewrites the lone surrogate escapes in `json`; false if there are none, and then it is unchanged.
bool mark_lone_surrogates(std::string& json);

class SurrogateJoiner {
 public:
  // The deltas of one event, in order. `marked`: mark_lone_surrogates found some in it. The end of
  // a piece is held back while its other half may still come.
  model::Deltas join(model::Deltas deltas, bool marked);
  // What was held back, at the end of a stream.
  model::Deltas finish();

  bool operator==(const SurrogateJoiner&) const = default;

 private:
  struct Held {
    std::size_t kind;  // of delta: Delta::index()
    std::string block;
    char32_t high;
    bool operator==(const Held&) const = default;
  };
  // Releases what can find no other half once `delta` has come.
  void release(const model::Delta& delta, model::Deltas& out);
  void piece(std::size_t kind, const std::string& block, std::string& text, bool marked);

  std::vector<Held> held_{};
};

}  // namespace skein::wire
