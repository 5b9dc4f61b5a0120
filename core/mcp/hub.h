// All servers of this start: they are connected in the background, and their tools taken over
// between turns.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/mcp/client.h"
#include "core/mcp/server_entry.h"
#include "core/mcp/signal.h"
#include "core/model/event.h"
#include "core/model/tool.h"

namespace skein::mcp {

class Hub {
 public:
  struct Parts {
    OpenChannel open;
    std::string workspace{}, version{};
    std::chrono::milliseconds delay{};  // before the servers are started: the prompt comes first
  };
  Hub(const std::vector<ServerEntry>& entries, Parts parts);
  ~Hub();
  Hub(const Hub&) = delete;

  bool empty() const { return clients_.empty(); }
  void start();  // begins to connect, in the background
  // Until every server has connected or failed, the user wants no more, or the time is over.
  // Returns the names of those that are not there yet.
  std::vector<std::string> wait(std::chrono::milliseconds time, const model::Ports& ports);

  // The tools of the servers that are there, by server and name. A server that has failed keeps
  // those it had: a call starts it again.
  model::Tools tools(std::vector<std::string>& notices);
  // Counts what changes in tools and instructions.
  std::int64_t changes() const;
  // What servers say of how to use them, by name.
  std::vector<std::pair<std::string, std::string>> instructions() const;

  struct Row {
    std::string name, state, source, place;
    std::size_t tools = 0;
    std::int64_t schema_bytes = 0;
    bool good = false;    // it is there, or is not wanted
    bool failed = false;  // it was tried
    bool waiting = false;
  };
  std::vector<Row> rows() const;
  Client* find(std::string_view name);  // null: there is none
  void reconnect(Client& client);
  void set_enabled(Client& client, bool enabled);

 private:
  struct Member {
    std::unique_ptr<Client> client;
    bool enabled = true;
    std::int64_t shown = -1;  // the changes of which left-out tools have been told
  };
  bool is_on(const Member& member) const { return member.enabled && trouble_of(member).empty(); }
  static const std::string& trouble_of(const Member& member) {
    return member.client->entry().trouble;
  }
  std::string state_of(const Member& member) const;

  Parts parts_;
  Signal signal_{};
  std::vector<Member> clients_{};
  std::int64_t switched_ = 0;  // how often a server was enabled or disabled

  std::mutex lock_{};
  std::condition_variable leaving_cv_{};
  bool leaving_ = false;
  std::thread starter_{};
};

}  // namespace skein::mcp
