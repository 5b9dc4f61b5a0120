// Transcripts that no sane program wrote: blocks, ids and roles by chance, then entries dropped,
// doubled and shuffled. The same seed gives the same transcript on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/handover/target.h"
#include "core/model/message.h"

namespace skein::test {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t roll();
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(roll() % limit); }
  bool chance(std::size_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

// One target of that wire format, with quirks by chance.
handover::Target random_target(Dice& dice, handover::WireFormat wire);

// Up to about thirty messages; nothing about them can be relied on.
std::vector<model::Message> random_transcript(Dice& dice);

// A turn as the agent writes it, in steps: the user's message, replies each with the results of all
// its calls, a last reply. Ids may be ones that were used before.
std::vector<std::vector<model::Message>> complete_turn(Dice& dice);

}  // namespace skein::test
