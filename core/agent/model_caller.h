// Asks the model: builds the request, keeps it inside the model's window, and summarizes older
// messages when they no longer fit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/agent/fallback.h"
#include "core/agent/hook_points.h"
#include "core/agent/surroundings.h"
#include "core/agent/turn.h"

namespace skein::agent {

// What came of an attempt to summarize older messages.
struct Compacted {
  bool done = false;
  std::string why_not{};               // then nothing was written
  std::int64_t before = 0, after = 0;  // tokens of the whole request
  model::Usage usage{};
  std::string summary{};
};

class ModelCaller {
 public:
  // All must outlive this.
  ModelCaller(const Parts& parts, Surroundings& surroundings, HookPoints& hooks)
      : parts_(parts), surroundings_(surroundings), hooks_(hooks), fallback_(parts) {}

  // The answer to the conversation as it is; not saved yet. What it cost is added to the turn.
  model::Message ask(Turn& turn);
  // The answer to a question that is not part of the conversation: everything before it is sent as
  // it always is, so that the service finds it in its cache, but no call of a tool counts.
  model::Message ask_aside(Turn& turn, const std::string& question);
  // Reads as much of the path as a request could need.
  void read_for_request(Conversation& conversation, const Settings& settings) const;
  // The request that would be made now; of images only the names. Valid until the next is built.
  const context::BuiltContext& context(Conversation& conversation, const Settings& settings);
  // `focus` says what matters and may be empty. If it fails, the session stays as it was.
  Compacted compact(Conversation& conversation, const std::string& focus, const Settings& settings,
                    const model::Ports& ports);

 private:
  // What came of one request.
  struct Attempt {
    model::Message reply{};
    std::optional<model::delta::Overflow> overflow{};  // it was refused as too long
    bool seals = false;      // it was refused for its thinking or signatures
    bool elsewhere = false;  // another model may answer
  };
  Attempt ask_one(Turn& turn);
  context::BuiltContext request(const Turn& turn);
  Attempt send(Turn& turn, const context::BuiltContext& built);
  Attempt send_unsealed(Turn& turn, const context::BuiltContext& built);
  void notice_cut(Turn& turn, const context::BuiltContext& built, const model::Message& reply);
  void tell_of_dropped(const Turn& turn, const model::Message& reply);
  void make_room(Turn& turn);
  bool make_room_after(Turn& turn, const context::BuiltContext& refused,
                       const model::delta::Overflow& told);
  void compact_unasked(Turn& turn, std::int64_t size, std::int64_t limit);
  void cut(Turn& turn);
  context::ContextSource source_of(const Conversation& conversation,
                                   std::span<const model::Entry> path, const Settings& settings);
  ModelLimits limits_of(const model::ModelRef& model) const;
  std::int64_t limit_of(const Settings& settings) const;

  const Parts& parts_;
  Surroundings& surroundings_;
  HookPoints& hooks_;
  Fallback fallback_;
  context::ContextCache contexts_{};
  // By provider/model, after it refused a request as too long.
  std::map<std::string, ModelLimits> learned_{};
  // How large a session was when its compaction failed or gained too little.
  std::map<Id, std::int64_t> failed_compactions_{};
  // What the service last left out of a session's requests.
  std::map<Id, std::vector<model::Transformation>> dropped_{};
};

}  // namespace skein::agent
