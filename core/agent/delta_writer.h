// Writes the pieces of an answer to the session while they stream, so that a crash does not lose
// them; and makes an answer of the pieces that a crash left.
#pragma once

#include "core/agent/conversation.h"
#include "core/agent/turn.h"
#include "core/model/payloads.h"
#include "core/text/io.h"

namespace skein::agent {

class DeltaWriter {
 public:
  // For one request; both must outlive this. The answer's id is another from now on.
  DeltaWriter(Turn& turn, const Parts& parts);

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

// none: there is no such answer at the conversation's head, or nothing of it can be read.
std::optional<model::Entry> unfinished_answer(store::SessionStore& store,
                                              const Conversation& conversation);

}  // namespace skein::agent
