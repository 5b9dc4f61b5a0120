// Says prepared words the way a provider would: delta by delta, at a pace, until it is stopped.
// What the models without a network share.
#pragma once

#include <chrono>
#include <string_view>

#include "core/model/assembler.h"
#include "core/model/provider.h"
#include "providers/wire/answer_limit.h"

namespace skein::offline {

class PacedReply {
 public:
  PacedReply(const model::ModelRef& model, const model::Ports& ports,
             std::chrono::milliseconds pace);

  // Word by word. All of these do nothing once the user has stopped.
  void think(std::string_view text);
  void say(std::string_view text);
  void call(const model::ToolUse& call);
  void tell(model::Delta delta);
  void wait(std::chrono::milliseconds time);

  // Usage, reason and end mark are told, unless it was stopped: then what was said so far.
  model::Message finish(model::Stop stop, const model::Usage& usage);
  // As if the line went dead here.
  model::Message cut() const;

 private:
  template <class Piece>
  void word_by_word(std::string_view text);
  void pass_on(model::Delta delta);

  const model::Ports& ports_;
  std::chrono::milliseconds pace_;
  model::Assembler assembler_;
  wire::AnswerLimit limit_{};
  bool full_ = false;
  int blocks_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// By core/model/tokens: good enough to see a budget being used.
model::Usage estimated_usage(const model::Context& context, std::string_view answer);

}  // namespace skein::offline
