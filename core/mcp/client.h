// One server: the connection to it, opened and greeted, or asked for its protocol version; its
// lists, kept as they change; and what is asked of it, how long it is waited for: with an eye on
// the keyboard, and with an ear for the server's own questions, which reach the user here. One that
// has died is started again. Messages are taken on the channel's thread.
#pragma once

#include "core/mcp/channel.h"
#include "core/mcp/remote_lists.h"
#include "core/mcp/server_entry.h"
#include "core/model/tool.h"

namespace skein::mcp {

class Client {
 public:
  enum class State { idle, starting, connected, failed };

  // What is known of the server now.
  struct View {
    State state = State::idle;
    std::string why{};  // it failed
    std::string title{}, version{}, protocol{}, instructions{};
    RemoteLists has{};
    bool resources = false;    // it has some
    bool prompts_due = false;  // they are being listed
    std::int64_t changes = 0;  // counts what happened to its tools and `instructions`
    std::string diagnostics{};
  };

  struct Parts {
    OpenChannel open;
    std::string workspace{}, version{};  // ours
    // Raised when something changed; shared by all clients, since only one thread waits at a time.
    const Signal& signal;
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
  ServerReply call(const std::string& tool, const JsonText& arguments,
                   const model::ToolPorts& ports);
  ServerReply request(std::string_view method, const JsonText& params,
                      const model::ToolPorts& ports);

 private:
  bool is_stateless() const;
  // Of the tool as the server lists it; empty: there is none of that name.
  JsonText schema_of(std::string_view tool) const;
  void send(JsonText message, Channel::Parameters parameters = {});

  void greet(bool probe);
  void drop_channel();
  void refuse(const std::string& why);
  void fail(const std::string& why);
  void take(const JsonText& text);
  // False: no call waits for it, or it has its reply.
  bool settle(std::int64_t id, ServerReply reply);
  void take_response(const rpc::Message& message);
  void take_notification(const rpc::Message& message);
  void take_greeting(const rpc::Message& message, bool probed);
  bool take_probe(const rpc::Message& message);
  void welcome(const rpc::Message& message, ProtocolVersion protocol);
  void list(List list, const std::string& cursor);
  void take_page(const rpc::Message& message, List list);
  void listen(const rpc::Message& welcome);
  void answer_server(const rpc::Message& message);

  bool may_start_again();
  std::string wait_until_connected(const model::ToolPorts& ports);
  ServerReply request_once(std::string_view method, const rpc::Message& asked,
                           const model::ToolPorts& ports);
  ServerReply wait_for(std::int64_t id, const model::ToolPorts& ports);
  bool answer_questions(const model::ToolPorts& ports);
  void cancel(std::int64_t id, const std::string& reason);

  ServerEntry entry_;
  Parts parts_;

  mutable std::mutex lock_{};  // for all below but `channel_`
  View view_{};
  std::vector<std::chrono::steady_clock::time_point> starts_{};
  ProtocolVersion protocol_ =
      ProtocolVersion::unknown;  // what it turned out to be, also for the next connection
  RemoteLists listing_{};        // the pages so far
  std::int64_t last_id_ = 0, greeting_id_ = 0;
  bool probing_ = false;                  // the greeting asks for its version
  std::map<std::int64_t, List> pages_{};  // requests for pages
  // A request of a call that waits: its reply, and what was reported since the last look.
  struct Pending {
    std::optional<ServerReply> reply{};
    std::string progress{};
    bool moved = false;  // there was progress
  };
  std::map<std::int64_t, Pending> pending_{};
  std::deque<std::shared_ptr<const rpc::Message>> questions_{};  // the server's, for the user

  mutable std::mutex channel_lock_{};  // taken after `lock_`, if both are
  std::unique_ptr<Channel> channel_{};
};

}  // namespace skein::mcp
