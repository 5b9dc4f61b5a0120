// The way to one server: messages go and come. What is between, a process or HTTP, is a class of
// its own.
#pragma once

#include "core/mcp/server_entry.h"
#include "core/text/base.h"
#include "core/text/wait.h"

namespace skein::mcp {

// Why there is no Signal.
inline constexpr const char* cannot_wait = "cannot wait for servers: too many open files?";

// Why a channel closed that only needs to be opened again: nothing that was asked was done.
inline constexpr std::string_view session_over = "its session has ended";

class Channel {
 public:
  // Both are called on a thread of the channel's own, never two at a time.
  struct Events {
    std::function<void(JsonText message)> message;
    std::function<void(std::string why)> closed;  // once, and nothing after it
  };

  // What of a message is also sent next to it, names in lower case; only HTTP has a place for it.
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  virtual ~Channel() = default;  // when it returns, no event comes any more
  // From any thread. Never waits: what cannot be sent becomes `closed`, or an answer that says so.
  virtual void send(JsonText message, Parameters parameters) = 0;
  void send(JsonText message) { send(std::move(message), {}); }
  // From now on the server may tell things unasked. `request` asks for that; empty: it needs none.
  virtual void listen(JsonText request) {
    if (!request.empty()) send(std::move(request));
  }
  // From any thread: it is over, and no event comes after the one that may be under way.
  virtual void close() = 0;
  // The answer to the request with this id is no longer wanted.
  virtual void forget(std::int64_t) {}
  // For a person who looks for the reason of a failure: the last words on standard error, lines
  // that were no messages. May be empty.
  virtual std::string diagnostics() const { return {}; }
};

// Begins to open it, and returns at once: a failure is reported as `closed`.
using OpenChannel =
    std::function<std::unique_ptr<Channel>(const ServerEntry& entry, Channel::Events events)>;

}  // namespace skein::mcp
