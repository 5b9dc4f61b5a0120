// The server's side: one message in, at most one out; slow tools answer later. What it has to offer
// is a table of tools and a few functions for resources. It speaks both eras: with a greeting, and
// without one (2026-07-28), where every request says which it is. Pure but for what the tools do.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/mcp/call_queue.h"
#include "core/text/base.h"

namespace skein::mcp {

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

struct Offer {
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

  explicit Server(Offer offer);

  // The answer to a line; nullopt: it wants none, or a slow tool will give it.
  std::optional<JsonText> answer(std::string_view line);
  CallQueue& slow_calls() { return slow_calls_; }

 private:
  Offer offer_;
  CallQueue slow_calls_;  // last: its threads use the offer
};

}  // namespace skein::mcp
