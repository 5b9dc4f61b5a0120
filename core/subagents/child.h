// A sub-agent at work: the loop in a thread of its own, on a session of its own, and what is known
// of it from outside.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/subagents/worker.h"
#include "core/text/fd.h"

namespace skein::subagents {

struct Progress {
  enum class State { working, done, failed, stopped } state = State::working;
  std::string doing{};  // one line
  int calls = 0;        // of tools
  int answers = 0;      // of the model
  model::Usage usage{};
  double dollars = 0;
  bool priced = true;  // every answer so far has a price
  std::int64_t began_ms = 0, ended_ms = 0;
};
std::string_view name(Progress::State state);
// "14 calls · 31k in 2k out · $0.04"
std::string amounts(const Progress& progress);

class Child {
 public:
  struct Links {
    std::function<model::Answer(const model::Question&)> ask{};  // empty: nobody can be asked
    // After each answer, in its thread: why it must end; empty: it may go on.
    std::function<std::string(std::optional<double> dollars)> count = [](std::optional<double>) {
      return std::string{};
    };
    std::function<void(Child&)> ended = [](Child&) {};  // in its thread, the last it does
  };
  // Begins at once. Throws Error if there can be no thread.
  Child(Order order, MakeWorker make, Links links);
  ~Child();  // stops it and waits
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const Order& order() const { return order_; }
  Progress progress() const;
  // The first reason given counts.
  void stop(const std::string& why);
  // False: it still works.
  bool wait(std::chrono::milliseconds time) const;
  void finish();  // once it has ended: its thread too

  // Once it has ended: what it said last, and what went wrong; empty: nothing.
  const std::string& text() const { return text_; }
  const std::string& trouble() const { return trouble_; }
  // What its user would have been told, the first few of it.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void work();
  void carry_out(Worker& worker);
  Id session_in(store::SessionStore& store, const std::string& workspace) const;
  model::Ports ports(Worker& worker);
  void hear(const model::Event& event, Worker& worker);
  void note_answer(const model::Message& message, Worker& worker);

  Order order_;
  MakeWorker make_;
  Links links_;
  std::atomic<bool> stop_{false};
  Fd woken_;  // readable once it is to stop
  mutable std::mutex mutex_{};
  mutable std::condition_variable changed_{};
  Progress progress_{};
  std::string why_stopped_{};
  std::string text_{}, trouble_{};
  std::vector<std::string> warnings_{};
  std::thread thread_{};  // the last member: it uses the others
};

}  // namespace skein::subagents
