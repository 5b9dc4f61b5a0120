// The client's side of one server: the greeting, its list of tools, calls. Messages are taken on
// the channel's thread; whoever asks something waits on their own, with an eye on the keyboard.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/mcp/channel.h"
#include "core/mcp/server_entry.h"
#include "core/mcp/signal.h"
#include "core/model/tool.h"

namespace skein::mcp {

namespace rpc {
struct Message;
}

// A tool as a server describes it; nothing in it is to be believed.
struct RemoteTool {
  std::string name, description;
  JsonText schema;
};

// What came of a request.
struct Reply {
  // The answer with its result, handed over by the channel's thread; null: it failed.
  std::shared_ptr<const rpc::Message> answer{};
  std::string failure{};  // for the model and the user to read
  bool again = false;     // it was not done, and may be if it is asked again
};

class Client {
 public:
  enum class State { idle, starting, connected, failed };

  // What is known of the server now.
  struct View {
    State state = State::idle;
    std::string why{};  // it failed
    std::string title{}, version{}, protocol{}, instructions{};
    std::vector<RemoteTool> tools{};
    bool resources = false;    // it has some
    std::int64_t changes = 0;  // counts what happened to `tools` and `instructions`
    std::string diagnostics{};
  };

  struct Parts {
    OpenChannel open;
    std::string workspace{}, version{};  // ours
    // Raised when something changed; shared by all clients, since only one thread waits at a time.
    const Signal& signal;
    std::chrono::milliseconds greeting{30'000};    // how long a server may take to start
    std::chrono::milliseconds longest{1'800'000};  // a call, whatever its progress
  };

  Client(ServerEntry entry, Parts parts) : entry_(std::move(entry)), parts_(std::move(parts)) {}
  ~Client();
  Client(const Client&) = delete;

  const ServerEntry& entry() const { return entry_; }
  View view() const;
  State state() const;

  void connect();     // begins to; returns at once
  void disconnect();  // waits until its thread has ended
  void close();       // it is to end; returns at once
  // Calls a tool. A server that died is started again first, a few times. Never throws for what the
  // server does, and returns at once when the user wants no more.
  Reply call(const std::string& tool, const JsonText& arguments, const model::ToolPorts& ports);
  Reply request(std::string_view method, const JsonText& params, const model::ToolPorts& ports);

 private:
  struct Pending {
    bool done = false;
    Reply reply{};
    std::string progress{};  // what it said of its progress since we last looked
    bool moved = false;      // there was progress
  };
  using Clock = std::chrono::steady_clock;

  void take(const JsonText& text);
  void take_message(const rpc::Message& message);
  void take_response(const rpc::Message& message);
  void take_notification(const rpc::Message& message);
  void take_greeting(const rpc::Message& message);
  void take_tools(const rpc::Message& message);
  void answer_server(const rpc::Message& message);
  void settle(std::int64_t id, Reply reply);
  void fail(const std::string& why);
  void list_tools(const std::string& cursor);
  bool may_start_again();
  std::string wait_until_connected(const model::ToolPorts& ports);
  Reply request_once(std::string_view method, const JsonText& params,
                     const model::ToolPorts& ports);
  Reply wait_for(std::int64_t id, const model::ToolPorts& ports);
  void cancel(std::int64_t id, const std::string& reason);
  void send(JsonText message);

  ServerEntry entry_;
  Parts parts_;

  mutable std::mutex lock_{};  // for all below but `channel_`
  View view_{};
  std::vector<RemoteTool> listing_{};  // the pages so far
  std::int64_t last_id_ = 0, greeting_id_ = 0, listing_id_ = 0;
  std::map<std::int64_t, Pending> pending_{};
  std::vector<Clock::time_point> starts_{};

  mutable std::mutex channel_lock_{};  // taken after `lock_`, if both are
  std::unique_ptr<Channel> channel_{};
};

}  // namespace skein::mcp
