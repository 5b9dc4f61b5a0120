// The connection to one server, as it is now: opened and greeted, or asked which era it is of; its
// lists, kept as they change; what it says unasked. Messages are taken on the channel's thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/mcp/channel.h"
#include "core/mcp/open_requests.h"
#include "core/mcp/remote_lists.h"
#include "core/mcp/server_entry.h"
#include "core/mcp/signal.h"

namespace skein::mcp {

class Connection {
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
    const Signal& signal;                // raised when something changed
  };

  Connection(const ServerEntry& entry, Parts parts) : entry_(entry), parts_(std::move(parts)) {}
  ~Connection();
  Connection(const Connection&) = delete;

  View view() const;
  State state() const;
  bool is_modern() const;
  // Of the tool as the server lists it; empty: there is none of that name.
  JsonText schema_of(std::string_view tool) const;

  void connect();     // begins to; returns at once
  void disconnect();  // waits until its thread has ended
  void close();       // it is to end; returns at once

  std::int64_t next_id();
  void send(JsonText message, Channel::Parameters parameters = {});
  void forget(std::int64_t id);  // the answer is no longer wanted
  OpenRequests& requests() { return requests_; }

 private:
  void take(const JsonText& text);
  void take_message(const rpc::Message& message);
  void take_response(const rpc::Message& message);
  void take_notification(const rpc::Message& message);
  void take_greeting(const rpc::Message& message, bool probed);
  bool take_probe(const rpc::Message& message);
  void welcome(const rpc::Message& message, Era era);
  void take_page(const rpc::Message& message, List list);
  void answer_server(const rpc::Message& message);
  void greet(bool probe);
  void refuse(const std::string& why);
  void fail(const std::string& why);
  void list(List list, const std::string& cursor);
  void listen(const rpc::Message& welcome);

  const ServerEntry& entry_;  // must outlive it
  Parts parts_;
  OpenRequests requests_{};

  mutable std::mutex lock_{};  // for all below but `channel_`
  View view_{};
  Era era_ = Era::unknown;  // what it turned out to be, also for the next connection
  RemoteLists listing_{};   // the pages so far
  std::int64_t last_id_ = 0, greeting_id_ = 0;
  bool probing_ = false;                  // the greeting asks for its era
  std::map<std::int64_t, List> pages_{};  // requests for pages

  mutable std::mutex channel_lock_{};  // taken after `lock_`, if both are
  std::unique_ptr<Channel> channel_{};
};

}  // namespace skein::mcp
