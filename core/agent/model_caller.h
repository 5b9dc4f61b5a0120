// Asks the model: builds the request, keeps it inside the model's window, and summarizes older
// messages when they no longer fit.
#pragma once

#include "core/agent/hook_points.h"
#include "core/agent/prompt_context.h"
#include "core/agent/turn.h"
#include "core/model/entry.h"
#include "core/model/event.h"
#include "core/model/message.h"
#include "core/model/provider.h"

namespace skein::agent {

// Which model answers when the chosen one cannot: its service is overloaded, out of quota, or no
// longer has it.
class Fallback {
 public:
  // `parts` must outlive this.
  explicit Fallback(const Parts& parts) : parts_(parts) {}

  // Before the first call of a turn: for ten minutes after a failure, what answered instead of the
  // chosen model is asked first.
  void begin(Turn& turn);
  // The turn's model failed for this reason: continues with the next one in the list. False: there
  // is none left, or the user does not want it.
  bool next(Turn& turn, const std::string& why);
  // The turn is over, and with it the fallback.
  static void end(Turn& turn);

 private:
  struct Replacement {
    model::ModelRef model;
    std::int64_t until = 0;  // ms since 1970
  };

  bool may_ask(Turn& turn, const model::ModelRef& model, const std::string& why);
  static void switch_to(Turn& turn, const model::ModelRef& model);

  const Parts& parts_;
  std::map<std::string, Replacement> replacements_{};  // by the chosen model
  std::set<std::pair<Id, std::string>> agreed_{};      // session and provider
};

// What a service left out of a request, in words for the user: what is new since `before`; empty:
// nothing that the user should know. It comes with every answer
// from then on, so it is said only when there is more of it.
std::string news_of_dropped(const std::vector<model::Transformation>& before,
                            const std::vector<model::Transformation>& now);

// Images are stored next to the transcript and loaded for one request. One that is gone stays
// without bytes; the codecs then send a text that says so.
void load_images(std::vector<model::Message>& messages, store::SessionStore& store);

// How long a model takes from a request to the first word of its answer.
class FirstToken {
 public:
  using Clock = std::chrono::steady_clock;

  // A try that failed, and the pause after it, are not the time of the one that answers.
  void see(const model::Event& event, Clock::time_point now = Clock::now());
  std::int64_t after_ms() const { return after_ms_; }  // 0: none has come

 private:
  Clock::time_point asked_ = Clock::now();
  std::int64_t after_ms_ = 0;
};

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
  ModelCaller(const Parts& parts, PromptContext& surroundings, HookPoints& hooks)
      : parts_(parts), context_(surroundings), hooks_(hooks), fallback_(parts) {}

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
    model::delta::Failed failed{};  // what is said of a failure
  };
  Attempt ask_one(Turn& turn);
  context::BuiltContext request(Turn& turn);
  Attempt send(Turn& turn, const context::BuiltContext& built);
  Attempt send_unsealed(Turn& turn, const context::BuiltContext& built);
  // Asks the model if the budget allows it. `input`: our guess of the tokens that are sent.
  model::Message call(Id session, const model::Context& context, const model::ModelRef& model,
                      std::int64_t input, const model::Ports& ports);
  void notice_cut(Turn& turn, const context::BuiltContext& built, const model::Message& reply);
  void tell_of_dropped(const Turn& turn, const model::Message& reply);
  void make_room(Turn& turn);
  bool make_room_after(Turn& turn, const context::BuiltContext& refused,
                       const model::delta::Overflow& reported);
  void compact_unasked(Turn& turn, std::int64_t size, std::int64_t limit);
  void cut(Turn& turn);
  std::vector<model::Entry> summary_entries(const Conversation& conversation,
                                            const Settings& settings, model::Entry summary) const;
  context::ContextSource source_of(const Conversation& conversation,
                                   std::span<const model::Entry> path, const Settings& settings);
  ModelLimits limits_of(const model::ModelRef& model) const;
  std::int64_t limit_of(const Settings& settings) const;

  const Parts& parts_;
  PromptContext& context_;
  HookPoints& hooks_;
  Fallback fallback_;
  std::string refusal_{};  // why the last call was not made
  context::ContextCache contexts_{};
  // By provider/model, after it refused a request as too long.
  std::map<std::string, ModelLimits> learned_{};
  // How large a session was when its compaction failed or gained too little.
  std::map<Id, std::int64_t> failed_compactions_{};
  // What the service last left out of a session's requests.
  std::map<Id, std::vector<model::Transformation>> dropped_{};
};

}  // namespace skein::agent
