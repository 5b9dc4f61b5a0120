// The server's side: one message in, at most one out; slow tools answer later. What it has to offer
// is a table of tools and a few functions for resources. It speaks both versions: with a greeting,
// and without one (2026-07-28), where every request says which it is. Pure but for what the tools
// do.
#pragma once

#include "core/mcp/channel.h"
#include "core/text/base.h"

namespace skein::mcp {

// CallQueue: runs the calls of slow tools for a server. A few run at the same time, each on a
// thread; the others wait in the order in which they came. One thread owns the queue and collects
// the responses.

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
  Signal ended_{cannot_wait};
  std::vector<std::thread> threads_{};
};

struct ServedTool {
  std::string name, description;
  JsonText schema;
  bool only_reads = true;
  // What it answers, as text. Throws Error: then that is the answer, as a failure.
  std::function<std::string(const JsonText& arguments, const CallStop& stop)> run;
  // Set if it is slow: `run` is then called on another thread. Returns the series of a call, see
  // CallQueue.
  std::function<std::string(const JsonText& arguments)> series{};
};

struct ServedResource {
  std::string uri, name, description;
};

struct ServerOffer {
  std::string version, instructions;
  std::vector<ServedTool> tools{};
  std::vector<ServedResource> templates{};  // their uri has {…} in it
  // A page of them from `cursor` on, which becomes the next one; empty: that was all.
  std::function<std::vector<ServedResource>(std::string& cursor)> resources{};
  // The text of one, as Markdown; nullopt: there is none of that uri.
  std::function<std::optional<std::string>(const std::string& uri)> read{};
};

class Server {
 public:
  static constexpr std::size_t slow_calls_at_once = 4;

  explicit Server(ServerOffer offer);

  // The answer to a line; nullopt: it wants none, or a slow tool will give it.
  std::optional<JsonText> answer(std::string_view line);
  CallQueue& slow_calls() { return slow_calls_; }

 private:
  ServerOffer offer_;
  CallQueue slow_calls_;  // last: its threads use the offer
};

}  // namespace skein::mcp
