// Calls of one answer that only read or delegate, run at the same time. Each has a thread, eight at
// most; what a tool reaches through its ports (the store, the screen, the user) is done by the
// thread that waits for it in next(), so that only one ever writes.
#pragma once

#include "core/model/event.h"
#include "core/model/tool.h"
#include "core/text/wait.h"

namespace skein::agent {

class ConcurrentCalls {
 public:
  struct Call {
    const model::Tool& tool;
    model::ToolUse call;
    model::ToolPorts ports;  // as if it ran alone
  };
  // `ports` and the tools must outlive this. Throws Error if there can be no threads.
  ConcurrentCalls(std::vector<Call> calls, const model::Ports& ports);
  ~ConcurrentCalls();  // stops what still runs, and waits for it
  ConcurrentCalls(const ConcurrentCalls&) = delete;
  ConcurrentCalls& operator=(const ConcurrentCalls&) = delete;

  // What came of the next call, in the order they were given. Serves the keyboard while it waits.
  model::ToolOutcome next();

 private:
  // Something a tool wants done in the turn's thread.
  struct Errand {
    const std::function<void()>* what = nullptr;
    std::exception_ptr failure{};
    bool done = false;
  };

  void work();
  model::ToolPorts ports_in_thread(const model::ToolPorts& ports);
  void have_done(const std::function<void()>& what);
  // The same port, for a tool's thread.
  template <class Result, class Argument>
  std::function<Result(Argument)> in_turn(const std::function<Result(Argument)>& port) {
    if (!port) return {};
    return [this, &port](Argument argument) {
      Result result{};
      have_done([&] { result = port(argument); });
      return result;
    };
  }
  bool do_errand();
  bool is_over() const { return abandoned_ || ports_.stopped(); }

  std::vector<Call> calls_;
  const model::Ports& ports_;
  Signal woken_;
  std::mutex mutex_{};
  std::condition_variable answered_{};
  std::deque<Errand*> errands_{};
  std::vector<std::optional<model::ToolOutcome>> outcomes_;
  std::atomic<std::size_t> begun_{0};
  std::atomic<bool> abandoned_{false};
  std::size_t given_ = 0;  // by next()
  std::vector<std::thread> threads_{};
};

}  // namespace skein::agent
