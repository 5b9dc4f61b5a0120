// A sub-agent at work: the loop in its own thread, on its own session, and what is known of it from
// outside.
#pragma once

#include "core/agent/agent.h"
#include "core/agent/conversation.h"
#include "core/subagents/definition.h"
#include "core/text/wait.h"

namespace skein::subagents {

struct AgentTask {
  Definition agent{};
  std::string description{};  // a few words, for people
  std::string prompt{};
  bool background = false;
  Id session{};                // that the work is kept in
  bool goes_on = false;        // the session is there already
  Id parent{}, entry{};        // the session that asks, and where it is
  std::string call{};          // that asks, there
  agent::Settings settings{};  // of the one that asks, as they are now
  // Has something done in the thread of the one that asks. Empty in the background.
  std::function<void(const std::function<void()>&)> in_turn{};
};

// What a sub-agent works with, and what it is asked to do. All of a worker is its own, as if
// another process had been started: it shares nothing but files with the agent that asked for help,
// so no part of skein needs to know of threads.
class Worker {
 public:
  virtual ~Worker() = default;
  virtual store::SessionStore& store() = 0;
  virtual agent::Agent& agent() = 0;
  // How the task is to be carried out in this conversation: model, instructions, rules.
  virtual agent::Settings settings(const agent::Conversation& conversation) = 0;
  virtual const std::string& workspace() const = 0;
  // What one answer of provider/model cost; nullopt: not known.
  virtual std::optional<double> cost(const std::string& model, const model::Usage& usage) = 0;
  // Events with every key in them masked.
  virtual std::function<void(const model::Event&)> masking(
      std::function<void(const model::Event&)> sink) = 0;
};
using MakeWorker = std::function<std::unique_ptr<Worker>()>;  // called in the worker's own thread

struct Progress {
  enum class State { working, done, failed, stopped } state = State::working;
  std::string doing{};  // one line
  int calls = 0;        // of tools
  int answers = 0;      // of the model
  model::Usage usage{};
  double dollars = 0;
  bool priced = true;                          // every answer so far has a price
  std::map<std::string, model::Usage> used{};  // in its session, by provider/model
  std::int64_t began_ms = 0, ended_ms = 0;
};
std::string_view name(Progress::State state);
// "14 calls · 31k in 2k out · $0.04"
std::string amounts(const Progress& progress);

class Child {
 public:
  struct Links {
    std::function<model::Answer(const model::Question&)> ask{};  // empty: no user can be asked
    // After each answer, in its thread: why it must end; empty: it may continue. nullopt: its
    // price is not known.
    std::function<std::string(std::optional<double> dollars)> count{};
    std::function<void(Child&)> ended{};  // in its thread, the last it does
  };
  // Begins at once. Throws Error if there can be no thread.
  Child(AgentTask task, MakeWorker make, Links links);
  ~Child();  // stops it and waits
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const AgentTask& task() const { return task_; }
  Progress progress() const;
  // The first reason given counts.
  void stop(const std::string& why);
  // False: it still works.
  bool wait(std::chrono::milliseconds time) const;
  void finish();  // once it has ended: its thread too

  // Once it has ended: what it said last, and what went wrong; empty: nothing.
  const std::string& text() const { return text_; }
  const std::string& trouble() const { return trouble_; }
  // What its user would have been shown, the first few of it.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void work();
  void carry_out(Worker& worker);
  Id session_in(store::SessionStore& store, const std::string& workspace) const;
  model::Ports ports(Worker& worker, const agent::Conversation& conversation);
  void hear(const model::Event& event, Worker& worker, const agent::Conversation& conversation);
  void note_answer(const model::Message& message, Worker& worker);

  AgentTask task_;
  MakeWorker make_;
  Links links_;
  std::atomic<bool> stop_{false};
  Signal woken_;  // raised once it is to stop
  mutable std::mutex mutex_{};
  mutable std::condition_variable changed_{};
  Progress progress_{};
  bool reported_ = false;  // links_.ended has returned
  std::string why_stopped_{};
  std::string text_{}, trouble_{};
  std::vector<std::string> warnings_{};
  std::thread thread_{};  // the last member: it uses the others
};

}  // namespace skein::subagents
