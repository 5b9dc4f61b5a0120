// All servers of this start: they are connected in the background, and their tools taken over
// between turns.
#pragma once

#include "core/mcp/channel.h"
#include "core/mcp/client.h"
#include "core/mcp/remote_tools.h"
#include "core/mcp/server_entry.h"
#include "core/model/event.h"
#include "core/model/tool.h"

namespace skein::mcp {

class Hub {
 public:
  struct Parts {
    OpenChannel open;
    std::string workspace{}, version{};
    std::chrono::milliseconds delay{};  // before the servers are started: the prompt comes first
    // How many bytes of schemas the model is given from the start; where there are more, it has to
    // look for them. Asked when there are tools. 0: no limit.
    std::function<std::int64_t()> direct_bytes = [] { return std::int64_t{0}; };
  };
  Hub(const std::vector<ServerEntry>& entries, Parts parts);
  ~Hub();
  Hub(const Hub&) = delete;

  void start();  // begins to connect, in the background
  // Until every server has connected or failed, the user wants no more, or the time is over.
  // Returns the names of those that are not there yet.
  std::vector<std::string> wait(std::chrono::milliseconds time, const model::Ports& ports);

  // The tools of the servers that are there, by server and name. A server that has failed keeps
  // those it had: a call starts it again. Behind them, if some have to be looked for, what does
  // that.
  model::Tools tools(std::vector<std::string>& notices);
  // definition_of() the tool that tools() gave this name; empty: there is none.
  std::string definition(const std::string& tool) const;
  // Counts what changes in tools and instructions.
  std::int64_t changes() const;
  // What servers say of how to use them, by name.
  std::vector<std::pair<std::string, std::string>> instructions() const;

  // Those that are there, by name: their version and a hash of their list of tools, so that a
  // later change of them can be noticed.
  std::map<std::string, std::string> identities() const;

  // The prompts of all servers, by name, and what one becomes; see core/mcp/remote_tools.h.
  std::vector<PromptCommand> prompts() const;
  // Until the server of a command by this name has listed its prompts. Null: there is no such
  // server, or it is not there in time.
  Client* server_of_prompt(std::string_view name, const model::Ports& ports);
  // "SERVER:URI" of all resources that are listed.
  std::vector<std::string> resources() const;

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
  bool is_on(const Client& client) const;
  void reconnect(Client& client);
  void set_enabled(Client& client, bool enabled);

 private:
  struct Member {
    std::unique_ptr<Client> client;
    bool enabled = true;
    std::int64_t shown = -1;  // the changes of which left-out tools have been reported
  };
  bool is_on(const Member& member) const { return member.enabled && trouble_of(member).empty(); }
  static const std::string& trouble_of(const Member& member) {
    return member.client->entry().trouble;
  }
  std::string state_of(const Member& member) const;
  void defer(model::Tools& tools, const std::map<std::string, std::optional<Exposure>>& said);

  Parts parts_;
  Signal signal_{cannot_wait};
  std::vector<Member> clients_{};
  std::int64_t switched_ = 0;  // how often a server was enabled or disabled
  bool searching_ = false;     // tools have to be looked for; it stays so

  mutable std::mutex lock_{};
  std::map<std::string, std::string> definitions_{};  // of tools, by our names
  std::condition_variable leaving_cv_{};
  bool leaving_ = false;
  std::thread starter_{};
};

}  // namespace skein::mcp
