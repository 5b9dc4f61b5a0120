// What is asked of one server, and how long it is waited for: with an eye on the keyboard, and with
// an ear for the server's own questions, which reach the user here. One that has died is started
// again.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mcp/connection.h"
#include "core/mcp/server_entry.h"
#include "core/model/tool.h"

namespace skein::mcp {

class Client {
 public:
  using State = Connection::State;
  using View = Connection::View;

  struct Parts {
    OpenChannel open;
    std::string workspace{}, version{};  // ours
    // Raised when something changed; shared by all clients, since only one thread waits at a time.
    const Signal& signal;
    std::chrono::milliseconds greeting{30'000};  // how long a server may take to start
  };

  Client(ServerEntry entry, Parts parts)
      : entry_(std::move(entry)),
        parts_(std::move(parts)),
        connection_(entry_, {parts_.open, parts_.workspace, parts_.version, parts_.signal}) {}
  Client(const Client&) = delete;

  const ServerEntry& entry() const { return entry_; }
  View view() const { return connection_.view(); }
  State state() const { return connection_.state(); }

  void connect();                                  // begins to; returns at once
  void disconnect() { connection_.disconnect(); }  // waits until its thread has ended
  void close() { connection_.close(); }            // it is to end; returns at once
  // Calls a tool. A server that died is started again first, a few times. Never throws for what the
  // server does, and returns at once when the user wants no more.
  Reply call(const std::string& tool, const JsonText& arguments, const model::ToolPorts& ports);
  Reply request(std::string_view method, const JsonText& params, const model::ToolPorts& ports);

 private:
  bool may_start_again();
  std::string wait_until_connected(const model::ToolPorts& ports);
  Reply request_once(std::string_view method, const rpc::Message& asked,
                     const model::ToolPorts& ports);
  Reply wait_for(std::int64_t id, const model::ToolPorts& ports);
  bool answer_questions(const model::ToolPorts& ports);
  void cancel(std::int64_t id, const std::string& reason);

  ServerEntry entry_;
  Parts parts_;
  std::mutex lock_{};  // for what follows
  std::vector<std::chrono::steady_clock::time_point> starts_{};
  Connection connection_;  // last: its thread ends first
};

}  // namespace skein::mcp
