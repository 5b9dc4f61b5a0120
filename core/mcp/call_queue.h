// CallQueue: runs the calls of slow tools for a server. A few run at the same time, each on a
// thread; the others wait in the order in which they came. One thread owns the queue and collects
// the responses.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/mcp/signal.h"
#include "core/text/base.h"

namespace skein::mcp {

// Tells a call that its result is no longer wanted.
struct CallStop {
  std::function<bool()> asked = [] { return false; };
  int wake_fd = -1;  // readable when the answer of `asked` may have changed
};

class CallQueue {
 public:
  struct Call {
    JsonText id{};              // of its request
    JsonText progress_token{};  // "null": its client wants no progress notifications
    std::string series{};       // calls of the same series run one after the other; empty: of none
    std::function<JsonText(const CallStop&)> run{};  // makes the response; must not throw
  };

  // Throws Error if no thread can be started.
  explicit CallQueue(std::size_t at_once);
  ~CallQueue();  // cancels all calls and waits until they have ended
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;

  void add(Call call);
  void cancel(const JsonText& id);  // a cancelled call has no response, as the protocol wants it

  bool empty() const;
  int fd() const { return ended_.fd(); }  // readable when there are responses
  std::vector<JsonText> responses();      // of the calls that ended since this was last called
  std::vector<JsonText> progress();       // a notification for each call that wants one

 private:
  struct Entry {
    Call call;
    const Signal* wake = nullptr;  // of the thread that runs it; null: it waits
    std::atomic<bool> cancelled{false};
    std::int64_t reports = 0;
  };

  void work(const Signal& wake);
  std::list<Entry>::iterator next();
  void cancel_if(const std::function<bool(const Entry&)>& chosen);

  mutable std::mutex mutex_{};  // for the four below
  std::condition_variable changed_{};
  std::list<Entry> calls_{};  // in the order in which they came, also those that run
  std::vector<JsonText> responses_{};
  bool leaving_ = false;
  Signal ended_{};
  std::vector<std::thread> threads_{};
};

}  // namespace skein::mcp
