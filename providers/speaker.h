// Says prepared words the way a provider would: delta by delta, at a pace, until it is stopped.
// What the models without a network share.
#pragma once

#include <chrono>
#include <string_view>

#include "core/assembler.h"
#include "core/provider.h"
#include "providers/answer_limit.h"

namespace skein {

class Speaker {
 public:
  Speaker(const ModelRef& model, const Ports& ports, std::chrono::milliseconds pace);

  // Word by word. All of these do nothing once the user has stopped.
  void think(std::string_view text);
  void say(std::string_view text);
  void call(const ToolUse& call);
  void tell(Delta delta);
  void wait(std::chrono::milliseconds time);

  // Usage, reason and end mark are told, unless it was stopped: then what was said so far.
  Message finish(Stop stop, const Usage& usage);
  // As if the line went dead here.
  Message cut() const;

 private:
  void pass_on(Delta delta);

  const Ports& ports_;
  std::chrono::milliseconds pace_;
  Assembler assembler_;
  AnswerLimit limit_{};
  bool full_ = false;
  int blocks_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// By core/tokens: good enough to see a budget being used.
Usage estimated_usage(const Context& context, std::string_view answer);

}  // namespace skein
