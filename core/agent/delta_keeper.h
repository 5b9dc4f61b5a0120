// Writes down what has come of an answer every now and then, if that is wanted, so that a crash
// keeps what was seen of it. Once the answer itself is there, nobody reads these again.
#pragma once

#include <chrono>
#include <vector>

#include "core/agent/turn.h"
#include "core/model/payloads.h"

namespace skein::agent {

class DeltaKeeper {
 public:
  // For one request; both must outlive this. The answer's id is another from now on.
  DeltaKeeper(Turn& turn, const Parts& parts);

  void see(const model::Event& event);

 private:
  using Clock = std::chrono::steady_clock;
  using Piece = model::payload::MessageDeltaBatch::Piece;

  void begin();
  void add(bool thinking, const std::string& text);
  std::vector<Piece> take_whole_words();
  void write();

  Turn& turn_;
  const Parts& parts_;
  bool on_;
  std::vector<Piece> pending_{};
  Clock::time_point written_ = Clock::now();
};

}  // namespace skein::agent
