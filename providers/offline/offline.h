// offline/demo: the embedded model. No network, no key; it answers by rule and says so.
#pragma once

#include "core/model/assembler.h"
#include "core/model/provider.h"
#include "providers/wire/answer_limit.h"

namespace skein::offline {

// Says prepared words the way a provider would: delta by delta, at a pace, until it is stopped.
// What the models without a network share.
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

  // Usage, reason and end mark are sent, unless it was stopped: then what was said so far.
  model::Message finish(model::Stop stop, const model::Usage& usage);
  // As if the line went dead here.
  model::Message cut() const;

 private:
  template <class Piece>
  void word_by_word(std::string_view text);

  const model::Ports& ports_;
  std::chrono::milliseconds pace_;
  model::Assembler assembler_;
  wire::AnswerLimit limit_{};
  int blocks_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A reply of the demonstration.
struct RuleReply {
  std::string thought{};  // which rule applies and why
  std::string text{};     // Markdown
  std::vector<model::ToolUse> calls{};
};

// By rule, without any thought. Pure.
RuleReply reply_by_rule(const model::Context& context);

// The time between two words, so that streaming and stopping can be seen: SKEIN_DEMO_PACE in
// milliseconds, 0 for none; 12 without it.
std::chrono::milliseconds demo_pace();

class OfflineProvider : public model::Provider {
 public:
  explicit OfflineProvider(std::chrono::milliseconds pace = demo_pace()) : pace_(pace) {}
  model::Message stream(const model::Context& context, const model::ModelRef& model,
                        const model::Ports& ports) override;

 private:
  std::chrono::milliseconds pace_;
};

}  // namespace skein::offline
