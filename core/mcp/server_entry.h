// One server as a configuration names it: what to start or where it is. Reads the files other
// agents share ("mcpServers") and fills in their variables. Pure.
#pragma once

#include "core/text/base.h"

namespace skein::mcp {

// See core/mcp/protocol.h.
enum class ProtocolVersion { unknown, stateful, stateless };

// How the model gets to know a tool: its schema from the start, by looking for it, or not at all.
enum class Exposure { direct, search, hidden };

struct ServerEntry {
  // Who says so. What comes with a workspace never sees a provider's key.
  enum class Source { user, flag, workspace };

  std::string name{};
  Source source = Source::user;
  std::string file{};     // where it is written
  std::string command{};  // a program, not a line for a shell; empty: `url` says where it is
  std::vector<std::string> arguments{};
  std::map<std::string, std::string> environment{};
  std::string
      folder{};  // to run in; empty: the user's home, for a workspace's server the workspace
  std::string url{};
  std::map<std::string, std::string> headers{};  // "!command": what that prints
  std::chrono::milliseconds timeout{60'000};     // of a call that shows no progress
  std::vector<std::string> hidden{};             // globs: tools that the model does not get
  // Globs and how the model gets the tools they fit ("direct", "search", "hidden").
  std::map<std::string, std::string> exposures{};
  bool always_direct = false;                           // no tool of it has to be looked for
  ProtocolVersion protocol = ProtocolVersion::unknown;  // unknown: it is found out
  bool enabled = true;
  bool by_client = false;  // the program that drives skein runs it
  std::string trouble{};   // why it cannot be used; empty: it can

  bool over_http() const { return command.empty(); }
  bool operator==(const ServerEntry&) const = default;
};

std::string_view name(ServerEntry::Source source);

// "auto", "legacy" or "modern"; nullopt: none of them.
std::optional<ProtocolVersion> protocol_version_named(std::string_view name);
// What the entry says of a tool; nullopt: nothing. An exact name counts before a pattern, a
// longer pattern before a shorter one.
std::optional<Exposure> exposure_of(const ServerEntry& entry, const std::string& tool);

// Why a server cannot be called that; empty: it can. Two underscores, or one at either end, would
// make a tool's name `mcp__SERVER__TOOL`, and so a rule about it, mean two servers.
std::string trouble_with_name(std::string_view name);
// Why the entry makes no sense; empty: it does.
std::string trouble_with(const ServerEntry& entry);

// The servers of a file in the form of .mcp.json. One that cannot be used says why in `trouble`.
// Throws Error (usage) if the text is no such file at all.
std::vector<ServerEntry> read_servers(const std::string& text, const std::string& file,
                                      ServerEntry::Source source);

// What a variable holds; nullopt: it is not set, or not for this entry.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;

// ${NAME} and ${NAME:-otherwise} in command, arguments, environment, folder, url and headers. A
// variable that is missing becomes the entry's trouble.
ServerEntry expanded(ServerEntry entry, const Variables& variables);

}  // namespace skein::mcp
