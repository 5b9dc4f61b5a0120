// [providers.NAME], [models.NAME] and [aliases]; [mcp.NAME] and [[hooks.EVENT]], the programs that
// skein starts.
#include "app/config/rows.h"

#include "core/text/text.h"
#include "core/tools/tools.h"

namespace skein::config::rows {

namespace {

using enum Key::Workspace;
using catalog::Given, catalog::ModelRow, catalog::Prices, catalog::ProviderRow;

// Whether a model of that name can be asked for depends on tables further down: see check_models.
bool add_alias(Target& to, const Item& item) {
  to.catalog.add_alias(item.owner, item.text);
  return true;
}

bool set_like(Target& to, const Item& item) {
  const ProviderRow* known = to.catalog.find_provider(item.text);
  if (known == nullptr)
    throw Error("like is '" + item.text + "', which is not a known provider; there are " +
                listed(to.catalog.providers(), ", ", &ProviderRow::name));
  ProviderRow row = *known;
  row.name = item.owner;
  // What it serves may be the same models, but only the vendor itself is known to speak both
  // formats.
  if (known->name != item.owner) {
    if (row.home.empty()) row.home = known->name;
    row.responses = {};
  }
  // The provider it is like has its own key, which must not go to others.
  if (known->name != item.owner) row.key_variables = {}, row.key_command = {};
  to.catalog.add(row);
  return true;
}

template <class Change>
bool change_provider(Target& to, const Item& item, Change change) {
  if (const ProviderRow* known = to.catalog.find_provider(item.owner)) {
    ProviderRow row = *known;
    change(row);
    to.catalog.add(row);
  }
  return true;
}

bool set_url(Target& to, const Item& item) {
  return change_provider(to, item, [&](ProviderRow& row) {
    row.base_url = item.text;
    row.base_url_variable = {};
  });
}
// A workspace may say where its keys come from, but not with one of its files: trust is in the
// text of its configuration, not in the files next to it.
bool set_key_command(Target& to, const Item& item) {
  if (runs_workspace_file(to, item.text, "key-command of " + item.owner,
                          ". Name a command outside the workspace, or set it in your own "
                          "configuration"))
    return true;
  // No relative path leads from / into the workspace.
  const std::string command = (to.by_workspace() ? "cd / || exit; " : "") + item.text;
  return change_provider(to, item, [&](ProviderRow& row) { row.key_command = command; });
}
bool set_key_variable(Target& to, const Item& item) {
  return change_provider(to, item, [&](ProviderRow& row) { row.key_variables = {item.text}; });
}
template <auto member>
bool set_in_provider(Target& to, const Item& item) {
  return change_provider(to, item, [&](ProviderRow& row) { take(row.*member, item); });
}

bool set_wire(Target& to, const Item& item) {
  using enum handover::WireFormat;
  return change_provider(to, item, [&](ProviderRow& row) {
    if (row.wire != openai_chat && row.wire != openai_responses)
      throw Error("wire is only for providers like openai; " + item.owner + " is not one");
    row.wire = item.text == "responses" ? openai_responses : openai_chat;
    row.responses = {};
  });
}

template <class Change>
bool change_model(Target& to, const Item& item, Change change) {
  const std::size_t slash = std::min(item.owner.find('/'), item.owner.size() - 1);
  const model::ModelRef ref{item.owner.substr(0, slash), item.owner.substr(slash + 1)};
  ModelRow row = to.catalog.find_model(ref);
  row.provider = ref.provider;
  row.name = ref.model;
  row.known = true;
  change(row);
  to.catalog.add(row);
  return true;
}

template <auto member, unsigned given>
bool set_in_model(Target& to, const Item& item) {
  return change_model(to, item, [&](ModelRow& row) {
    take(row.*member, item);
    row.given |= given;
  });
}
// Who has a price of their own pays it for calls of any length.
template <auto member>
bool set_price(Target& to, const Item& item) {
  return change_model(to, item, [&](ModelRow& row) {
    take(row.prices.*member, item);
    row.tiers = {};
    row.given |= Given::prices;
  });
}
bool set_thinks(Target& to, const Item& item) {
  return change_model(to, item, [&](ModelRow& row) {
    using enum model::ThinkingLevel;
    if (!item.truth)
      row.thinks = {};
    else if (row.thinks.empty())
      row.thinks = {off, low, medium, high};
    row.given |= Given::thinks;
  });
}

constexpr double most_tokens = 1e9;
constexpr double most_dollars = 1e6;

constexpr Key provider_table[] = {
    {"like", text, "the known provider of that name", trusted,
     "the known provider whose format it speaks", set_like},
    {"url", text, "as the provider named in like", trusted, "the address, without /v1", set_url},
    {"key-command", text, "none", trusted, "a shell command that prints the key", set_key_command},
    {"key-variable", text, "none for unknown names", trusted,
     "the environment variable that holds the key", set_key_variable},
    {"key-needed", truth, "as the provider named in like", trusted, "whether requests need a key",
     set_in_provider<&ProviderRow::key_needed>},
    {"allow-http", truth, "false", trusted,
     "send the key to another machine over http://, where others can read it",
     set_in_provider<&ProviderRow::allow_http>},
    {"wire", one_of("chat|responses"), "chat for unknown names", trusted,
     "which of OpenAI's two formats the provider uses", set_wire},
    {"betas", truth, "false, except for Anthropic itself", trusted,
     "whether the provider accepts Anthropic's beta headers", set_in_provider<&ProviderRow::betas>},
};

constexpr Key model_table[] = {
    {"window", whole(1, most_tokens), "what skein knows about the model", trusted,
     "the context window, in tokens", set_in_model<&ModelRow::window, Given::window>},
    {"max-output", whole(1, most_tokens), "what skein knows about the model", trusted,
     "the longest answer, in tokens", set_in_model<&ModelRow::max_output, Given::max_output>},
    {"images", truth, "what skein knows about the model", trusted,
     "whether the model accepts images", set_in_model<&ModelRow::images, Given::images>},
    {"thinking", truth, "what skein knows about the model", trusted,
     "whether the model can think before it answers", set_thinks},
    {"input", number(0, most_dollars), "what skein knows about the model", trusted,
     "dollars per million input tokens", set_price<&Prices::input>},
    {"output", number(0, most_dollars), "what skein knows about the model", trusted,
     "dollars per million output tokens", set_price<&Prices::output>},
    {"cache-read", number(0, most_dollars), "what skein knows about the model", trusted,
     "dollars per million tokens read from the cache", set_price<&Prices::cache_read>},
    {"cache-write", number(0, most_dollars), "what skein knows about the model", trusted,
     "dollars per million tokens written to the cache", set_price<&Prices::cache_write>},
    {"fallback", models, "as set for all models", trusted, "models to use when this model fails",
     set_fallback},
};

constexpr Key alias_table[] = {
    {"", text, "none", trusted, "a short name for a model: fast = \"openai/gpt-6-luna\"",
     add_alias},
};

// A server of the user has precedence over one of the same name that came with a workspace.
template <class Change>
bool change_server(Target& to, const Item& item, Change change) {
  using Source = mcp::ServerEntry::Source;
  const auto known = to.config.servers.find(item.owner);
  if (to.by_workspace() && known != to.config.servers.end() && known->second.source == Source::user)
    return true;
  if (const std::string trouble = mcp::trouble_with_name(item.owner); !trouble.empty())
    throw Error("mcp." + item.owner + ": " + trouble);
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
bool set_exposures(Target& to, const Item& item) {
  for (const auto& [pattern, exposure] : item.pairs)
    if (exposure != "direct" && exposure != "search" && exposure != "hidden")
      throw Error("mcp." + item.owner + ".tools: " + pattern +
                  " is 'direct', 'search' or 'hidden', not '" + exposure + "'");
  return change_server(to, item, [&](mcp::ServerEntry& entry) { entry.exposures = item.pairs; });
}
bool set_protocol(Target& to, const Item& item) {
  return change_server(to, item, [&](mcp::ServerEntry& entry) {
    entry.protocol = mcp::protocol_version_named(item.text).value_or(mcp::ProtocolVersion::unknown);
  });
}

constexpr Key server_table[] = {
    {"command", text, "none", trusted,
     "the program to run as the server; skein starts it and stops it",
     set_in_server<&mcp::ServerEntry::command>},
    {"args", words, "none", trusted, "arguments of the program",
     set_in_server<&mcp::ServerEntry::arguments>},
    {"env", pairs, "PATH, HOME and the like", trusted,
     "environment variables to add, { NAME = \"value\" }; ${NAME} inserts your own",
     set_in_server<&mcp::ServerEntry::environment>},
    {"cwd", text, "your home folder; for a workspace's server the workspace", trusted,
     "the folder to run the program in", set_in_server<&mcp::ServerEntry::folder>},
    {"url", text, "none", trusted, "the address of the server, if it is not a program: https://…",
     set_in_server<&mcp::ServerEntry::url>},
    {"headers", pairs, "none", trusted,
     "headers to send with each request, { Authorization = \"Bearer ${NAME}\" }; \"!command\": "
     "send what it prints",
     set_in_server<&mcp::ServerEntry::headers>},
    {"timeout", whole(1, 1800), "60", trusted,
     "cancel a call after this many seconds without progress; after ten times as long in any case",
     set_in_server<&mcp::ServerEntry::timeout>},
    {"hidden-tools", words, "none", trusted, "tools that the model does not get: [\"delete_*\"]",
     set_in_server<&mcp::ServerEntry::hidden>},
    {"tools", pairs, "none", trusted,
     "how the model gets the tools, { \"get_*\" = \"direct\", \"list_*\" = \"search\" }; hidden: "
     "not at all",
     set_exposures},
    {"protocol", one_of("auto|legacy|modern"), "auto", trusted,
     "which MCP version the server uses: legacy (before 2026-07-28) or modern (since then)",
     set_protocol},
    {"enabled", truth, "true", trusted, "whether to start the server",
     set_in_server<&mcp::ServerEntry::enabled>},
};

hooks::HookDefinition& hook_of(Target& to, const Item& item) {
  for (ConfiguredHook& each : to.config.hooks)
    if (each.name == item.owner && each.definition.of_project == to.by_workspace())
      return each.definition;
  ConfiguredHook& made = to.config.hooks.emplace_back(ConfiguredHook{.name = item.owner});
  const auto event = hooks::parse_event(item.owner.substr(0, item.owner.find('.')));
  if (event) made.definition.event = *event;  // else the reader has said so
  made.definition.of_project = to.by_workspace();
  made.definition.file = to.file;
  return made.definition;
}

template <auto member>
bool set_in_hook(Target& to, const Item& item) {
  take(hook_of(to, item).*member, item);
  return true;
}
// Read once to see that it can be: it is read again at every call, with the tools there are then.
bool set_hook_condition(Target& to, const Item& item) {
  permission::parse_rules(item.text, tools::tool_table());
  hook_of(to, item).condition = item.text;
  return true;
}
bool set_on_failure(Target& to, const Item& item) {
  hook_of(to, item).block_on_failure = item.text == "block";
  return true;
}

constexpr Key hook_table[] = {
    {"command", text, "none", trusted,
     "a shell command to run at that event, or a program if args are given; it gets the event as "
     "JSON on standard input",
     set_in_hook<&hooks::HookDefinition::command>},
    {"args", words, "none", trusted, "arguments of the program; if given, no shell is used",
     set_in_hook<&hooks::HookDefinition::words>},
    {"matcher", text, "everything", trusted,
     "which tools, sources, types or reasons run the hook: names separated by |, or a regular "
     "expression",
     set_in_hook<&hooks::HookDefinition::matcher>},
    {"if", text, "every call", trusted, "run only for calls that match this rule: bash(git push *)",
     set_hook_condition},
    {"timeout", number(0, 3600), "60; UserPromptSubmit 30, Notification 5, SessionEnd 1.5", trusted,
     "how many seconds the hook may take", set_in_hook<&hooks::HookDefinition::time>},
    {"on-failure", one_of("continue|block"), "continue", trusted,
     "what to do after a crash, a timeout, or an exit status other than 0 and 2", set_on_failure},
};

}  // namespace

std::span<const Key> provider_rows() { return provider_table; }
std::span<const Key> model_rows() { return model_table; }
std::span<const Key> alias_rows() { return alias_table; }

std::span<const Key> server_rows() { return server_table; }

std::span<const Key> hook_rows() { return hook_table; }

}  // namespace skein::config::rows
