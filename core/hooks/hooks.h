// The user's programs at fixed points of a session: which of them an event is for, what they get to
// know, and what they come to together.
#pragma once

#include "core/hooks/definition.h"
#include "core/model/event.h"
#include "core/model/payloads.h"
#include "core/model/tool.h"
#include "core/process/side_by_side.h"
#include "core/text/base.h"
#include "core/text/io.h"

namespace skein::hooks {

// The text of what a call came to, without its images.
inline std::string text_of(const model::ToolOutcome& outcome) {
  std::string out;
  for (const model::ResultBlock& block : outcome.content)
    if (const auto* text = std::get_if<model::Text>(&block))
      out += (out.empty() ? "" : "\n") + text->text;
  return out;
}

// In this order: of two that disagree the later one counts.
enum class HookChoice { none, allow, ask, deny };
std::string_view name(HookChoice choice);

struct HookReply {
  HookChoice choice = HookChoice::none;  // of a call; deny also means "block" at every other event
  std::string reason{};
  std::string trouble{};                   // how it failed, for the user; empty: it did not
  std::optional<JsonText> input{};         // that is to be used instead, as the program wrote it
  std::optional<std::string> output{};     // that the model is to read instead
  std::string context{};                   // for the model to read as well
  std::string title{};                     // for the session
  std::string message{};                   // for the user
  std::optional<std::string> ends_turn{};  // why
};

// The exit status of a program and what it printed, understood for its event. Pure.
HookReply read_reply(const HookDefinition& definition, const process::CommandEnd& end);

// Where a session is at an event; every program gets it.
struct Moment {
  std::string session_id{}, session_key{};
  std::string transcript{};  // its file; empty: there is none
  std::string head{}, prompt{};
  std::string mode{}, model{};
  model::Usage usage{};  // of the session so far
  std::optional<double> cost{};
  std::int64_t used = 0, window = 0;  // tokens
};

// What an event is about.
struct HookSubject {
  std::string name{};  // that a matcher is held against; of a call its tool's
  JsonText more{};     // further members, as an object; may be empty
  const model::ToolUse* call = nullptr;
  const model::ToolOutcome* outcome = nullptr;  // of that call
};

// What all programs of an event came to together.
struct HookOutcome {
  HookChoice choice = HookChoice::none;
  std::string reason{};
  std::optional<JsonText> input{};
  std::optional<std::string> output{};
  std::vector<std::string> contexts{};
  std::string title{};
  std::vector<model::Notice> notices{};
  std::optional<std::string> ends_turn{};
  std::vector<model::payload::HookRun> runs{};  // that are to be recorded
};

// Whether a program may be run as things are now.
struct Clearance {
  std::string refusal{};  // why not; empty: it may
  Fd hold{};              // stays open until the program has ended
};

class Hooks {
 public:
  struct Parts {
    // In the order in which they count: the user's first.
    std::vector<HookDefinition> definitions{};
    const model::Tools* tools = nullptr;  // for conditions; must outlive this
    std::string workspace{};
    std::function<Clearance(const HookDefinition&)> clearance = [](auto&&) { return Clearance{}; };
    std::function<std::vector<std::string>(const HookDefinition&)> environment{};
  };
  explicit Hooks(Parts parts);

  bool any(Event event) const;
  HookOutcome run(Event event, const HookSubject& subject, const Moment& moment,
                  const model::Ports& ports);

  struct Line {
    HookDefinition definition{};
    std::int64_t runs = 0;
    std::string last_exit{};
    std::int64_t last_ms = 0;
    std::string refusal{};  // why it was not run when its event last came
  };
  const std::vector<Line>& lines() const { return lines_; }

 private:
  Parts parts_;
  std::vector<Line> lines_{};
};

}  // namespace skein::hooks
