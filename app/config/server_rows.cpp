#include "app/config/rows.h"

#include <chrono>

namespace skein::config::rows {

namespace {

using enum Key::Workspace;

// One of the user's own stands above one of the same name that came with a workspace.
template <class Change>
bool change_server(Target& to, const Item& item, Change change) {
  using Source = mcp::ServerEntry::Source;
  const auto known = to.config.servers.find(item.owner);
  if (to.by_workspace() && known != to.config.servers.end() && known->second.source == Source::user)
    return true;
  if (const std::string trouble = mcp::trouble_with_name(item.owner); !trouble.empty())
    throw Error("mcp." + item.owner + ": " + trouble, ExitStatus::usage);
  mcp::ServerEntry& entry = to.config.servers[item.owner];
  entry.name = item.owner;
  entry.source = to.by_workspace() ? Source::workspace : Source::user;
  entry.file = to.file;
  change(entry);
  return true;
}
template <auto member>
bool set_in_server(Target& to, const Item& item) {
  return change_server(to, item, [&](mcp::ServerEntry& entry) { take(entry.*member, item); });
}
template <auto member>
bool set_words(Target& to, const Item& item) {
  return change_server(to, item, [&](mcp::ServerEntry& entry) { entry.*member = item.list; });
}
template <auto member>
bool set_pairs(Target& to, const Item& item) {
  return change_server(to, item, [&](mcp::ServerEntry& entry) { entry.*member = item.pairs; });
}
bool set_timeout(Target& to, const Item& item) {
  return change_server(to, item, [&](mcp::ServerEntry& entry) {
    entry.timeout = std::chrono::seconds(static_cast<std::int64_t>(item.number));
  });
}
bool set_exposures(Target& to, const Item& item) {
  for (const auto& [pattern, exposure] : item.pairs)
    if (exposure != "direct" && exposure != "search" && exposure != "hidden")
      throw Error("mcp." + item.owner + ".tools: " + pattern +
                      " is 'direct', 'search' or 'hidden', not '" + exposure + "'",
                  ExitStatus::usage);
  return change_server(to, item, [&](mcp::ServerEntry& entry) { entry.exposures = item.pairs; });
}
bool set_era(Target& to, const Item& item) {
  return change_server(to, item, [&](mcp::ServerEntry& entry) {
    entry.era = mcp::era_named(item.text).value_or(mcp::Era::unknown);
  });
}

constexpr Key server_table[] = {
    {"mcp", "command", text, "none", trusted, "",
     "the program that is the server; it is started with skein, and ends with it",
     set_in_server<&mcp::ServerEntry::command>},
    {"mcp", "args", words, "none", trusted, "", "its arguments",
     set_words<&mcp::ServerEntry::arguments>},
    {"mcp", "env", pairs, "nothing secret", trusted, "",
     "variables it gets, { NAME = \"value\" }; ${NAME} is one of yours",
     set_pairs<&mcp::ServerEntry::environment>},
    {"mcp", "cwd", text, "your home folder; of a workspace's server the workspace", trusted, "",
     "the folder it runs in", set_in_server<&mcp::ServerEntry::folder>},
    {"mcp", "url", text, "none", trusted, "",
     "where the server is, if it is not a program: https://…",
     set_in_server<&mcp::ServerEntry::url>},
    {"mcp", "headers", pairs, "none", trusted, "",
     "what is sent to it each time, { Authorization = \"Bearer ${NAME}\" }; \"!command\": what "
     "that prints",
     set_pairs<&mcp::ServerEntry::headers>},
    {"mcp", "timeout", whole(1, 1800), "60", trusted, "",
     "seconds that a call may take without a sign of progress; with progress ten times as long",
     set_timeout},
    {"mcp", "hidden-tools", words, "none", trusted, "",
     "those of its tools that the model does not get: [\"delete_*\"]",
     set_words<&mcp::ServerEntry::hidden>},
    {"mcp", "tools", pairs, "none", trusted, "",
     "how the model gets its tools, { \"get_*\" = \"direct\", \"list_*\" = \"search\" }; hidden: "
     "not at all",
     set_exposures},
    {"mcp", "protocol", one_of("auto|legacy|modern"), "auto", trusted, "",
     "which era of the protocol it speaks: before 2026-07-28 or since", set_era},
    {"mcp", "enabled", truth, "true", trusted, "", "false: it is not started",
     set_in_server<&mcp::ServerEntry::enabled>},
};

}  // namespace

std::span<const Key> server_rows() { return server_table; }

}  // namespace skein::config::rows
