// What a model is told before anything is said, system prompt and tools, and what becomes of it
// when it changes. It is rendered once, written down on the path (runtime_init) and sent in those
// bytes; what changes later is told in a message that stays. It is rendered anew only where the
// path records a step that changes what is sent anyway: a summary, a cut, a redaction, /system, a
// change to another provider.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/agent/turn.h"
#include "core/model/payloads.h"

namespace skein::agent {

class Surroundings {
 public:
  // `parts` must outlive this.
  explicit Surroundings(const Parts& parts) : parts_(parts) {}

  // A new beginning for requests, as everything is now, and what of the conversation must be told
  // again behind it. `lost`: older messages are no longer sent.
  std::vector<model::Entry> renewed(const Conversation& conversation, const Settings& settings,
                                    bool lost) const;
  // The one that counts on this path: the recorded one, else what would be rendered. It has its
  // tools. Valid until the next call.
  const model::payload::RuntimeInit& beginning(const Conversation& conversation,
                                               std::span<const model::Entry> path,
                                               const Settings& settings);

  // What must be written before a turn's first message; often nothing. Tells the user.
  std::vector<model::Entry> before_turn(const Turn& turn);
  // Something was redacted since the path's last beginning, in what is sent.
  bool is_stale(const Conversation& conversation);

  // Whether the model was given a tool of this name, which there may no longer be.
  bool was_offered(const Conversation& conversation, const std::string& tool);

 private:
  model::Entry rendered(const Conversation& conversation, const Settings& settings) const;
  bool has_tool(std::string_view name) const;
  std::vector<model::Entry> news(const Turn& turn);
  std::vector<model::Entry> left_from_before(const Turn& turn);
  model::payload::RuntimeInit render(const Conversation& conversation,
                                     const Settings& settings) const;
  std::vector<Surrounding> told_of(const Conversation& conversation,
                                   const Settings& settings) const;
  std::vector<model::Entry> tell_changes(const Turn& turn, const model::payload::RuntimeInit& last);

  const Parts& parts_;
  Id read_{};  // the entry `last_` was read from
  model::payload::RuntimeInit last_{};
  std::set<std::string> waiting_{};  // new tools the user has been told of
  std::set<Id> taken_up_{};          // sessions in which this process has begun a turn
};

}  // namespace skein::agent
