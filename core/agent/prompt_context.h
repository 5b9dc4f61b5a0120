// How a request begins, with system prompt and tools, and what becomes of that when it changes. It
// is rendered once, written down on the path (runtime_init) and sent in those bytes; what changes
// later is reported in a message that stays. It is rendered again only where the
// path records a step that changes what is sent anyway: a summary, a cut, a redaction, /system, a
// change to another provider.
#pragma once

#include "core/agent/turn.h"
#include "core/model/payloads.h"

namespace skein::agent {

class PromptContext {
 public:
  // `parts` must outlive this.
  explicit PromptContext(const Parts& parts) : parts_(parts) {}

  // A new beginning for requests, as everything is now, and what of the conversation must be
  // repeated behind it. `lost`: older messages are no longer sent.
  std::vector<model::Entry> renewed(const Conversation& conversation, const Settings& settings,
                                    bool lost) const;
  // The same, from where on `text` is sent instead of the results in an entry.
  std::vector<model::Entry> dropping(const Conversation& conversation, const Settings& settings,
                                     Id entry, const std::string& text) const;
  // The one that counts on this path: the recorded one, else what would be rendered. It has its
  // tools. Valid until the next call.
  const model::payload::RuntimeInit& beginning(const Conversation& conversation,
                                               std::span<const model::Entry> path,
                                               const Settings& settings);

  // What must be written before a turn's first message; often nothing. Informs the user.
  std::vector<model::Entry> before_turn(const Turn& turn);
  // Something was redacted since the path's last beginning, in what is sent.
  bool is_stale(const Conversation& conversation);

  // Whether the model was given a tool of this name, which there may no longer be.
  bool was_offered(const Conversation& conversation, const std::string& tool);

 private:
  std::vector<model::Entry> news(const Turn& turn);
  std::vector<model::Entry> left_from_before(const Turn& turn);
  std::vector<model::Entry> news_of_changes(const Turn& turn,
                                            const model::payload::RuntimeInit& last);

  const Parts& parts_;
  Id read_{};  // the entry `last_` was read from
  model::payload::RuntimeInit last_{};
  std::set<std::string> waiting_{};  // new tools the user knows of
  std::set<Id> resumed_{};           // sessions in which this process has begun a turn
};

// Instructions that hold where a tool has just been: they come with its result, once on each path,
// since the system prompt of a session is never changed. `place`: what the call was about, if that
// is a file in the workspace. Informs the user.
void attach_nearby(const Parts& parts, const Turn& turn, const model::Tool& tool,
                   const std::optional<std::string>& place, model::ToolOutcome& outcome);

}  // namespace skein::agent
