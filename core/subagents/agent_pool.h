// All sub-agents of this start of skein: who may be asked, who is at work, what they may use up,
// and how what they found gets back. Its functions are for the thread of the agent that asks for
// help, unless they say otherwise.
#pragma once

#include "core/agent/turn.h"
#include "core/budget/budget.h"
#include "core/subagents/child.h"
#include "core/tools/tools.h"

namespace skein::subagents {

using Request = tools::AgentRequest;

// A sub-agent in a list.
struct AgentLine {
  Id session{};
  std::string title{};
  std::string state{};
  Progress progress{};  // of one of an earlier start only what its session shows
};

class AgentPool : public agent::Delegates {
 public:
  struct Parts {
    store::SessionStore& store;  // of the one who asks
    std::size_t most = 4;        // at once
    bool background = true;      // else everything is waited for: no one would hear of it later
    // Which they use as well; null: there is no limit.
    budget::Budget* budget = nullptr;
    std::function<std::vector<Definition>()> agents{};
    // Whether the model that asks may choose this one.
    std::function<bool(const std::string& model)> may_choose = [](auto&&) { return false; };
    std::function<MakeWorker(const AgentTask&)> spawn{};  // throws Error if there can be none
    // One that worked in the background has ended: what the model of that session is to hear, and
    // its user. Called in its thread.
    std::function<void(Id session, model::Entry news, std::string notice)> tell = [](auto&&...) {};
  };
  explicit AgentPool(Parts parts) : parts_(std::move(parts)) {}
  ~AgentPool() override;  // stops all of them
  AgentPool(const AgentPool&) = delete;
  AgentPool& operator=(const AgentPool&) = delete;

  void bind(const agent::Turn& turn) override;
  // Carries out a call. For the thread of that call.
  model::ToolOutcome run(const Request& request, const model::ToolPorts& ports);
  std::string left_behind(Id session, const model::ToolUse& call) const override;

  // A conversation is opened: reports its agents that ended without a report, because skein was
  // left or killed.
  void take_up(const agent::Conversation& conversation);

  // Those of a session, the oldest first.
  std::vector<AgentLine> lines(Id session) const;
  std::size_t working() const;  // any thread may ask
  // What those of a session have used. Reads the list of all sessions once, for earlier starts.
  using UsageByModel = std::map<std::string, model::Usage>;  // by provider/model
  UsageByModel used_by(Id session);
  // What those of the open session have cost since this was last asked.
  struct Spent {
    double dollars = 0;
    bool at_least = false;  // a price is not known
  };
  Spent take_spent();
  // By the beginning of its session's id. False: none of that name is at work.
  bool stop(std::string_view id);
  bool works_in(Id session) const;  // one of them does, in its own session
  // Returns how many were at work, once they have ended or patience has.
  std::size_t stop_all(std::chrono::milliseconds patience);

 private:
  struct Prepared {
    AgentTask task{};
    MakeWorker make{};
    std::string remark{};   // for the model
    std::string why_not{};  // then there is nothing else
  };
  Prepared prepare(const Request& request, const model::ToolPorts& ports) const;
  void find_earlier(const std::string& name, Prepared& out) const;
  std::string why_spent() const;
  std::string count(Id parent, std::optional<double> dollars);
  bool take_place(const model::ToolPorts& ports, bool waits);
  void give_place_back();
  std::shared_ptr<Child> begin(Prepared& prepared, const model::ToolPorts& ports);
  model::ToolOutcome wait_for(Child& child, const model::ToolPorts& ports) const;
  void push(Child& child) const;
  void report_left(Id parent, Id session);
  std::map<Id, UsageByModel> earlier(Id session);
  std::vector<std::shared_ptr<Child>> children() const;

  Parts parts_;
  std::optional<Id> open_{};  // the session that was opened last
  // By the session that asked, and their own: what they had used before this start.
  std::map<Id, std::map<Id, UsageByModel>> earlier_{};
  std::set<Id> reported_{};  // sessions of an earlier start whose agents were reported
  agent::Settings settings_{};
  mutable std::mutex mutex_{};
  std::condition_variable freed_{};
  int calls_left_ = 0;             // of the turn's model calls
  std::map<Id, Spent> to_tell_{};  // by the session that asked; see take_spent()
  std::size_t places_ = 0;
  // Shared with the thread that waits for it.
  std::vector<std::shared_ptr<Child>> children_{};
};

}  // namespace skein::subagents
