// All sub-agents of this start of skein: who may be asked, who is at work, what they may use up,
// and how what they found gets back. Its functions are for the thread of the agent that asks for
// help, unless they say otherwise.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/agent/turn.h"
#include "core/subagents/child.h"
#include "core/tools/tools.h"

namespace skein::subagents {

using Request = tools::AgentRequest;

// A sub-agent in a list.
struct Line {
  Id session{};
  std::string title{};
  std::string state{};
  Progress progress{};  // of one of an earlier start only what its session tells
};

class Crew {
 public:
  struct Parts {
    store::SessionStore& store;  // of the one who asks
    std::size_t most = 4;        // at once
    double budget = 0;           // in dollars, for all of a turn; 0: no limit
    bool background = true;      // else everything is waited for: nobody would hear of it later
    std::function<std::vector<Definition>()> agents{};
    // Whether the model that asks may choose this one.
    std::function<bool(const std::string& model)> may_choose = [](const std::string&) {
      return false;
    };
    std::function<MakeWorker(const Order&)> hire{};  // throws Error if there can be none
    // One that worked in the background has ended: what the model of that session is to hear, and
    // its user. Called in its thread.
    std::function<void(Id session, model::Entry news, std::string notice)> tell =
        [](Id, model::Entry, const std::string&) {};
  };
  explicit Crew(Parts parts) : parts_(std::move(parts)) {}
  ~Crew();  // stops all of them
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // What holds for those that are asked next; see agent::Parts::before_delegating.
  void bind(const agent::Turn& turn);
  // Carries out a call, in a thread of its own.
  model::ToolOutcome run(const Request& request, const model::ToolPorts& ports);
  // See agent::Parts::left_behind.
  std::string left_behind(Id session, const model::ToolUse& call) const;

  // A conversation goes on: tells of those in it that ended unheard, because skein was left or
  // killed.
  void take_up(const agent::Conversation& conversation);

  // Those of a session, the oldest first.
  std::vector<Line> lines(Id session) const;
  std::size_t working() const;  // any thread may ask
  // By the beginning of its session's id. False: none of that name is at work.
  bool stop(std::string_view id);
  bool works_in(Id session) const;  // one of them does, in its own session
  // Returns how many were at work, once they have ended or patience has.
  std::size_t stop_all(std::chrono::milliseconds patience);

 private:
  struct Prepared {
    Order order{};
    MakeWorker make{};
    std::string remark{};   // for the model
    std::string why_not{};  // then there is nothing else
  };
  Prepared prepare(const Request& request, const model::ToolPorts& ports) const;
  void find_earlier(const std::string& name, Prepared& out) const;
  std::string why_spent() const;
  std::string count(std::optional<double> dollars);
  bool take_place(const model::ToolPorts& ports, bool waits);
  void give_place_back();
  std::shared_ptr<Child> begin(Prepared& prepared, const model::ToolPorts& ports);
  model::ToolOutcome wait_for(Child& child, const model::ToolPorts& ports) const;
  void push(Child& child) const;
  void tell_what_was_left(Id parent, Id session);
  std::vector<std::shared_ptr<Child>> children() const;

  Parts parts_;
  std::set<Id> told_{};  // of which of an earlier start something was told
  std::string turn_{};
  agent::Settings settings_{};
  mutable std::mutex mutex_{};
  std::condition_variable freed_{};
  int calls_left_ = 0;  // of the turn's model calls
  double spent_ = 0;    // in the turn
  std::size_t places_ = 0;
  // Shared with the thread that waits for it.
  std::vector<std::shared_ptr<Child>> children_{};
};

}  // namespace skein::subagents
