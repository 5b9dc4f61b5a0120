// The user's own programs at fixed points of a session: which of them an event is for, what they
// are told, and what they come to together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/hooks/definition.h"
#include "core/hooks/reply.h"
#include "core/model/event.h"
#include "core/model/payloads.h"
#include "core/model/tool.h"
#include "core/text/fd.h"

namespace skein::hooks {

// Where a session is at an event; every program is told.
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
struct Subject {
  std::string name{};  // that a matcher is held against; of a call its tool's
  JsonText more{};     // further members, as an object; may be empty
  const model::ToolUse* call = nullptr;
  const model::ToolOutcome* outcome = nullptr;  // of that call
};

// What all programs of an event came to together.
struct Outcome {
  Choice choice = Choice::none;
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
    std::vector<Definition> definitions{};  // in the order in which they count: the user's first
    const model::Tools* tools = nullptr;    // for conditions; must outlive this
    std::string workspace{};
    std::function<Clearance(const Definition&)> clearance = [](const Definition&) {
      return Clearance{};
    };
    std::function<std::vector<std::string>(const Definition&)> environment{};
  };
  explicit Hooks(Parts parts);

  bool any(Event event) const;  // costs nothing
  Outcome run(Event event, const Subject& subject, const Moment& moment, const model::Ports& ports);

  struct Line {
    Definition definition{};
    std::int64_t runs = 0;
    std::string last_exit{};
    std::int64_t last_ms = 0;
    std::string refusal{};  // why it was not run when its event last came
  };
  const std::vector<Line>& lines() const { return lines_; }

 private:
  bool applies(const Definition& definition, const Subject& subject) const;
  JsonText input_for(const Definition& definition, const Subject& subject,
                     const Moment& moment) const;
  Order order_for(const Definition& definition, const Subject& subject, const Moment& moment) const;

  Parts parts_;
  std::vector<Line> lines_{};
  std::uint32_t events_ = 0;  // a bit for each that something is defined for
};

}  // namespace skein::hooks
