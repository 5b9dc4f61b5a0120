// Writes down what has come of an answer every now and then, so that a crash keeps what was seen of
// it. Once the answer itself is there, nothing reads these pieces again.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "core/agent/turn.h"
#include "core/model/payloads.h"
#include "core/text/fd.h"

namespace skein::agent {

class DeltaKeeper {
 public:
  // For one request; both must outlive this. The answer's id is another from now on.
  DeltaKeeper(Turn& turn, const Parts& parts);

  void see(const model::Event& event);
  // What the request is to watch instead of `input`, which must outlive it: our clock as well, so
  // that what came last is written though nothing more comes. Valid for as long as this lives.
  model::Ports::Input watch(const model::Ports::Input& input);

 private:
  using Clock = std::chrono::steady_clock;
  using Piece = model::payload::MessageDeltaBatch::Piece;
  enum class More { comes, may_not_come };

  void begin();
  void add(bool thinking, const std::string& text);
  void set_clock();
  std::vector<Piece> take_whole_words(More more);
  void write(More more);

  Turn& turn_;
  const Parts& parts_;
  bool on_;
  bool clock_set_ = false;
  Fd clock_{}, both_{};  // `both_` is readable when the clock or the input is
  std::vector<Piece> pending_{};
  Clock::time_point written_ = Clock::now();
};

}  // namespace skein::agent
