#include "app/config_keys.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include "app/key_command.h"
#include "core/text/text.h"
#include "core/tools/tools.h"

namespace skein::app {

using catalog::ModelRow, catalog::Prices, catalog::Given, catalog::ProviderRow;

namespace {

using Kind = ConfigKind;
using enum ConfigKey::Workspace;

constexpr ConfigValues text{Kind::text};
constexpr ConfigValues age{Kind::age};
constexpr ConfigValues truth{Kind::truth};
constexpr ConfigValues rules{Kind::rules};
constexpr ConfigValues models{Kind::models};
constexpr ConfigValues file_names{Kind::names};
constexpr ConfigValues words{Kind::words};
constexpr ConfigValues pairs{Kind::pairs};
constexpr ConfigValues one_of(std::string_view choices) { return {Kind::choice, choices}; }
constexpr ConfigValues whole(double least, double most) { return {Kind::whole, {}, least, most}; }
constexpr ConfigValues number(double least, double most) { return {Kind::number, {}, least, most}; }

void take(std::string& to, const ConfigItem& item) { to = item.text; }
void take(bool& to, const ConfigItem& item) { to = item.truth; }
void take(double& to, const ConfigItem& item) { to = item.number; }
void take(std::optional<double>& to, const ConfigItem& item) { to = item.number; }
void take(std::int64_t& to, const ConfigItem& item) { to = static_cast<std::int64_t>(item.number); }

template <auto member>
bool set(ConfigTarget& to, const ConfigItem& item) {
  take(to.config.*member, item);
  return true;
}

bool set_max_turns(ConfigTarget& to, const ConfigItem& item) {
  const int turns = static_cast<int>(item.number);
  if (to.by_workspace() && turns > to.config.max_turns) return false;
  to.config.max_turns = turns;
  return true;
}

bool set_handover_thinking(ConfigTarget& to, const ConfigItem& item) {
  to.config.handover.thinking_as_text = item.text == "text";
  return true;
}

bool set_mode(ConfigTarget& to, const ConfigItem& item) {
  if (to.by_workspace() && item.text != permission::name(permission::Mode::plan)) return false;
  to.config.rules.mode = permission::parse_mode(item.text).value();
  return true;
}

// Whether there are such models is checked once all tables have been read: see check_names.
bool set_fallback(ConfigTarget& to, const ConfigItem& item) {
  to.config.fallback[item.owner] = item.list;
  return true;
}

bool set_sandbox(ConfigTarget& to, const ConfigItem& item) {
  to.config.sandbox = tools::sandbox::parse_sandbox(item.text);  // "auto" is none of them
  return true;
}

bool set_network(ConfigTarget& to, const ConfigItem& item) {
  if (to.by_workspace() && item.truth && !to.config.sandbox_network) return false;
  to.config.sandbox_network = item.truth;
  return true;
}

// 0 is no limit, so it loosens every other.
template <auto member>
bool set_limit(ConfigTarget& to, const ConfigItem& item) {
  int& limit = to.config.*member;
  const int given = static_cast<int>(item.number);
  if (to.by_workspace() && limit > 0 && (given == 0 || given > limit)) return false;
  limit = given;
  return true;
}

// "64k", "1m", or bytes.
bool set_max_instructions(ConfigTarget& to, const ConfigItem& item) {
  std::size_t bytes = 0;
  const char* const end = item.text.data() + item.text.size();
  const auto [rest, failed] = std::from_chars(item.text.data(), end, bytes);
  const std::string unit = lower(std::string(rest, end));
  const std::size_t factor = unit.empty() ? 1 : unit == "k" ? 1u << 10 : unit == "m" ? 1u << 20 : 0;
  if (failed != std::errc{} || factor == 0 || bytes > (64u << 20) / factor)
    throw Error("max-instructions is '" + item.text + "', which is no size; say \"64k\"",
                ExitStatus::usage);
  if (to.by_workspace() && bytes * factor > to.config.max_instructions) return false;
  to.config.max_instructions = bytes * factor;
  return true;
}

bool set_ignore_files(ConfigTarget& to, const ConfigItem& item) {
  for (const std::string& name : item.list)
    if (name.empty() || name.find('/') != std::string::npos)
      throw Error("ignore-files holds '" + name + "', which is no name of a file",
                  ExitStatus::usage);
  to.config.ignore_files = item.list;
  return true;
}

template <auto list, auto parse>
bool add_rules(ConfigTarget& to, const ConfigItem& item) {
  for (const std::string& each : item.list)
    for (permission::Rule& rule : parse(each, tools::tool_table())) {
      rule.origin = to.origin;
      (to.config.rules.*list).push_back(std::move(rule));
    }
  return true;
}

// Whether a model of that name can be asked for depends on tables further down: see check_models.
bool add_alias(ConfigTarget& to, const ConfigItem& item) {
  to.catalog.add_alias(item.owner, item.text);
  return true;
}

bool set_like(ConfigTarget& to, const ConfigItem& item) {
  const ProviderRow* known = to.catalog.find_provider(item.text);
  if (known == nullptr) {
    std::vector<std::string> names;
    for (const ProviderRow& row : to.catalog.providers()) names.emplace_back(row.name);
    throw Error(
        "like is '" + item.text + "', which is no known provider; there are " + listed(names),
        ExitStatus::usage);
  }
  ProviderRow row = *known;
  row.name = item.owner;
  // What it serves may be the same models, but only the vendor itself is known to speak both
  // formats.
  if (known->name != item.owner) {
    if (row.home.empty()) row.home = known->name;
    row.responses = {};
  }
  // The provider it is like has a key of its own, which must not go to others.
  if (known->name != item.owner) row.key_variables = {}, row.key_command = {};
  to.catalog.add(row);
  return true;
}

template <class Change>
bool change_provider(ConfigTarget& to, const ConfigItem& item, Change change) {
  if (const ProviderRow* known = to.catalog.find_provider(item.owner)) {
    ProviderRow row = *known;
    change(row);
    to.catalog.add(row);
  }
  return true;
}

bool set_url(ConfigTarget& to, const ConfigItem& item) {
  return change_provider(to, item, [&](ProviderRow& row) {
    row.base_url = item.text;
    row.base_url_variable = {};
  });
}
// A workspace may say where its keys come from, but not with a file of its own: trust is in the
// text of its configuration, not in what lies beside it.
bool set_key_command(ConfigTarget& to, const ConfigItem& item) {
  std::string command = item.text;
  if (to.by_workspace()) {
    if (const std::string used = workspace_file_in(command, to.workspace); !used.empty()) {
      to.config.notices.push_back(
          "the key-command of " + item.owner + " in the workspace's configuration uses " + used +
          " of the workspace, which trust does not cover; passed over. Name a command outside of "
          "it, or put it into your own configuration");
      return true;
    }
    command = away_from_workspace(command);
  }
  return change_provider(to, item, [&](ProviderRow& row) { row.key_command = command; });
}
bool set_key_variable(ConfigTarget& to, const ConfigItem& item) {
  return change_provider(to, item, [&](ProviderRow& row) { row.key_variables = {item.text}; });
}
template <auto member>
bool set_in_provider(ConfigTarget& to, const ConfigItem& item) {
  return change_provider(to, item, [&](ProviderRow& row) { take(row.*member, item); });
}

bool set_wire(ConfigTarget& to, const ConfigItem& item) {
  using enum handover::WireFormat;
  return change_provider(to, item, [&](ProviderRow& row) {
    if (row.wire != openai_chat && row.wire != openai_responses)
      throw Error("wire is for services like openai, which " + item.owner + " is not",
                  ExitStatus::usage);
    row.wire = item.text == "responses" ? openai_responses : openai_chat;
    row.responses = {};
  });
}

template <class Change>
bool change_model(ConfigTarget& to, const ConfigItem& item, Change change) {
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
bool set_in_model(ConfigTarget& to, const ConfigItem& item) {
  return change_model(to, item, [&](ModelRow& row) {
    take(row.*member, item);
    row.given |= given;
  });
}
// Who has a price of their own pays it for calls of any length.
template <auto member>
bool set_price(ConfigTarget& to, const ConfigItem& item) {
  return change_model(to, item, [&](ModelRow& row) {
    take(row.prices.*member, item);
    row.tiers = {};
    row.given |= Given::prices;
  });
}
bool set_thinks(ConfigTarget& to, const ConfigItem& item) {
  return change_model(to, item, [&](ModelRow& row) {
    using enum model::ThinkingLevel;
    if (!item.truth)
      row.thinks = {};
    else if (row.thinks.empty())
      row.thinks = {off, low, medium, high};
    row.given |= Given::thinks;
  });
}

// One of the user's own stands above one of the same name that came with a workspace.
template <class Change>
bool change_server(ConfigTarget& to, const ConfigItem& item, Change change) {
  using Source = mcp::ServerEntry::Source;
  const auto known = to.config.servers.find(item.owner);
  if (to.by_workspace() && known != to.config.servers.end() && known->second.source == Source::user)
    return true;
  if (const std::string trouble = mcp::trouble_with_name(item.owner); !trouble.empty())
    throw Error("mcp." + item.owner + ": " + trouble, ExitStatus::usage);
  mcp::ServerEntry& entry = to.config.servers[item.owner];
  entry.name = item.owner;
  entry.source = to.by_workspace() ? Source::workspace : Source::user;
  entry.file =
      to.by_workspace() ? to.workspace + "/.skein/config.toml" : config_folder() + "/config.toml";
  change(entry);
  return true;
}
template <auto member>
bool set_in_server(ConfigTarget& to, const ConfigItem& item) {
  return change_server(to, item, [&](mcp::ServerEntry& entry) { take(entry.*member, item); });
}
template <auto member>
bool set_words(ConfigTarget& to, const ConfigItem& item) {
  return change_server(to, item, [&](mcp::ServerEntry& entry) { entry.*member = item.list; });
}
template <auto member>
bool set_pairs(ConfigTarget& to, const ConfigItem& item) {
  return change_server(to, item, [&](mcp::ServerEntry& entry) { entry.*member = item.pairs; });
}
bool set_timeout(ConfigTarget& to, const ConfigItem& item) {
  return change_server(to, item, [&](mcp::ServerEntry& entry) {
    entry.timeout = std::chrono::seconds(static_cast<std::int64_t>(item.number));
  });
}
bool set_exposures(ConfigTarget& to, const ConfigItem& item) {
  for (const auto& [pattern, exposure] : item.pairs)
    if (exposure != "direct" && exposure != "search" && exposure != "hidden")
      throw Error("mcp." + item.owner + ".tools: " + pattern +
                      " is 'direct', 'search' or 'hidden', not '" + exposure + "'",
                  ExitStatus::usage);
  return change_server(to, item, [&](mcp::ServerEntry& entry) { entry.exposures = item.pairs; });
}
bool set_era(ConfigTarget& to, const ConfigItem& item) {
  return change_server(to, item, [&](mcp::ServerEntry& entry) {
    entry.era = mcp::era_named(item.text).value_or(mcp::Era::unknown);
  });
}

hooks::Definition& hook_of(ConfigTarget& to, const ConfigItem& item) {
  for (ConfiguredHook& each : to.config.hooks)
    if (each.name == item.owner && each.definition.of_project == to.by_workspace())
      return each.definition;
  ConfiguredHook& made = to.config.hooks.emplace_back(ConfiguredHook{.name = item.owner});
  const auto event = hooks::parse_event(item.owner.substr(0, item.owner.find('.')));
  if (event) made.definition.event = *event;  // else the reader has said so
  made.definition.of_project = to.by_workspace();
  made.definition.file =
      to.by_workspace() ? workspace_config_file(to.workspace) : user_config_file();
  return made.definition;
}

template <auto member>
bool set_in_hook(ConfigTarget& to, const ConfigItem& item) {
  hook_of(to, item).*member = item.text;
  return true;
}
bool set_hook_words(ConfigTarget& to, const ConfigItem& item) {
  hook_of(to, item).words = item.list;
  return true;
}
// Read once to see that it can be: it is read again at every call, with the tools there are then.
bool set_hook_condition(ConfigTarget& to, const ConfigItem& item) {
  permission::parse_rules(item.text, tools::tool_table());
  hook_of(to, item).condition = item.text;
  return true;
}
bool set_hook_time(ConfigTarget& to, const ConfigItem& item) {
  hook_of(to, item).time = std::chrono::milliseconds(static_cast<std::int64_t>(item.number * 1000));
  return true;
}
bool set_on_failure(ConfigTarget& to, const ConfigItem& item) {
  hook_of(to, item).block_on_failure = item.text == "block";
  return true;
}

constexpr double most_tokens = 1e9;
constexpr double most_dollars = 1e6;

// In the order in which they are applied: a provider begins as a copy of the one it is like, and
// models and aliases speak of providers.
constexpr ConfigKey table[] = {
    {"", "model", text, "the best model there is a key for", trusted, "--model",
     "PROVIDER/MODEL, or an alias", set<&Config::model>},
    {"", "thinking", one_of("off|minimal|low|medium|high|xhigh|max"), "off", trusted, "--thinking",
     "how much the model thinks", set<&Config::thinking>},
    {"", "fallback", models, "none", trusted, "",
     "[\"PROVIDER/MODEL\", …] to ask, for the rest of a turn, when the model cannot answer",
     set_fallback},
    {"", "plan-model", text, "the same one", trusted, "",
     "PROVIDER/MODEL, or an alias, that answers while plan mode is on", set<&Config::plan_model>},
    {"", "home", text, "$XDG_DATA_HOME/skein", never, "--home",
     "where sessions live: a folder, or postgresql://USER@HOST/DATABASE", set<&Config::home>},
    {"", "home-outbox", truth, "false", never, "",
     "true: what a database cannot be sent is parked on this machine, and sent later",
     set<&Config::home_outbox>},
    {"", "handover-thinking", one_of("none|text"), "none", trusted, "",
     "text: a model sees what others thought as part of their answers", set_handover_thinking},
    {"", "permission-mode", one_of("default|plan|acceptEdits|bypassPermissions"), "default",
     tightens, "--permission-mode", "what tools may do unasked", set_mode},
    {"", "allowed-tools", rules, "none", never, "--allowed-tools",
     "calls that run unasked: 'read,bash(git status)'",
     add_rules<&permission::Rules::allow, permission::parse_allow_rules>},
    {"", "disallowed-tools", rules, "none", tightens, "--disallowed-tools",
     "calls that never run; stronger than everything else",
     add_rules<&permission::Rules::deny, permission::parse_rules>},
    {"", "sandbox", one_of("auto|bubblewrap|landlock|none"), "auto, the best this machine has",
     never, "", "the sandbox that the model's commands run in", set_sandbox},
    {"", "sandbox-network", truth, "true", tightens, "", "false: commands get no network",
     set_network},
    {"", "sandbox-processes", whole(0, 1e6), "4096", tightens, "",
     "how many processes a command may start, about; 0: no limit (root has none)",
     set_limit<&Config::sandbox_processes>},
    {"", "sandbox-memory", whole(0, 1e9), "0", tightens, "",
     "MiB of data each process of a command may have; 0: no limit",
     set_limit<&Config::sandbox_memory>},
    {"", "max-turns", whole(1, 1e6), "100", tightens, "--max-turns", "model calls per prompt",
     set_max_turns},
    {"", "compact-at", number(0, 1), "0.85", never, "",
     "the part of the model's window that may be full before older messages are summarized; 0: "
     "never",
     set<&Config::compact_at>},
    {"", "system-prompt", text, "the built-in one", trusted, "--system-prompt",
     "what the model is told first", set<&Config::system_prompt>},
    {"", "append-system-prompt", text, "nothing", trusted, "--append-system-prompt",
     "what it is told after that", set<&Config::append_system_prompt>},
    {"", "ignore-files", file_names,
     ".skeinignore .aiignore .geminiignore .crushignore .gooseignore .aiderignore .cursorignore",
     never, "", "files whose patterns say what the model is kept from, in every folder",
     set_ignore_files},
    {"", "max-instructions", text, "\"64k\"", tightens, "",
     "how much of AGENTS.md and its kin is read in all, half of it of one file; \"0\": nothing",
     set_max_instructions},
    {"", "keep-deltas", truth, "false", never, "",
     "true: an answer is written down as it comes, so that a crash keeps what was seen of it",
     set<&Config::keep_deltas>},
    {"", "session-search", truth, "false", never, "",
     "true: the model gets the tool recall, and can look into earlier sessions of the workspace",
     set<&Config::session_search>},
    {"", "planning-tools", truth, "true", never, "",
     "false: the model does not get the tools todo, ask and present_plan",
     set<&Config::planning_tools>},
    {"", "background-on-timeout", truth, "true", never, "",
     "false: a command of the model's that is out of time is ended, and does not go on as a job",
     set<&Config::background_on_timeout>},
    {"", "jobs-wake", truth, "false", never, "",
     "true: when a job ends while you are at an empty prompt, the model is asked to go on",
     set<&Config::jobs_wake>},
    {"", "files-follow", one_of("ask|always|never"), "ask", never, "",
     "whether files are put back when /undo, /branch and /rollback move the conversation",
     set<&Config::files_follow>},
    {"", "keep-checkpoints", whole(1, 1e6), "200", never, "",
     "how many checkpoints of a session `sessions prune-blobs` leaves whole; of older ones one a "
     "day",
     set<&Config::keep_checkpoints>},
    {"", "claude-hooks", truth, "false", never, "",
     "true: hooks in Claude Code's settings run too: yours, and those of a workspace you trust",
     set<&Config::claude_hooks>},
    {"", "terminal-marks", truth, "true", never, "",
     "window title, marks to jump from prompt to prompt, a bell after ten seconds",
     set<&Config::terminal_marks>},
    {"", "color", one_of("auto|always|never"), "auto", never, "--color", "when to use colours",
     set<&Config::color>},
    {"", "screen-reader", truth, "false", never, "--screen-reader",
     "plain lines, nothing that moves", set<&Config::screen_reader>},
    {"", "quiet", truth, "false", never, "--quiet", "no notices", set<&Config::quiet>},

    {"expiry", "archive-after", age, "never", never, "",
     "sessions unused for so long are packed, once you were told; pinned and labelled "
     "ones "
     "are not",
     set<&Config::archive_after>},
    {"expiry", "trash-after", age, "never", never, "",
     "sessions unused for so long go to the trash in the same way", set<&Config::trash_after>},

    {"providers", "like", text, "the known one of that name", trusted, "",
     "the known provider whose format it speaks", set_like},
    {"providers", "url", text, "as the one it is like", trusted, "", "where it is, without /v1",
     set_url},
    {"providers", "key-command", text, "none", trusted, "", "a shell command that prints the key",
     set_key_command},
    {"providers", "key-variable", text, "none, for a name skein does not know", trusted, "",
     "the environment variable that holds the key", set_key_variable},
    {"providers", "key-needed", truth, "as the one it is like", trusted, "",
     "false: it may be asked without a key", set_in_provider<&ProviderRow::key_needed>},
    {"providers", "allow-http", truth, "false", trusted, "",
     "true: its key may go to another machine by http://, where others can read it",
     set_in_provider<&ProviderRow::allow_http>},
    {"providers", "wire", one_of("chat|responses"), "chat, for a name skein does not know", trusted,
     "", "which of OpenAI's two formats it speaks", set_wire},
    {"providers", "betas", truth, "false, except for Anthropic itself", trusted, "",
     "true: it passes Anthropic's beta headers on", set_in_provider<&ProviderRow::betas>},

    {"models", "window", whole(1, most_tokens), "what is known of it", trusted, "",
     "how many tokens it can take in", set_in_model<&ModelRow::window, Given::window>},
    {"models", "max-output", whole(1, most_tokens), "what is known of it", trusted, "",
     "how many tokens an answer may have", set_in_model<&ModelRow::max_output, Given::max_output>},
    {"models", "images", truth, "what is known of it", trusted, "", "whether it takes images",
     set_in_model<&ModelRow::images, Given::images>},
    {"models", "thinking", truth, "what is known of it", trusted, "",
     "whether it can think before it answers", set_thinks},
    {"models", "input", number(0, most_dollars), "what is known of it", trusted, "",
     "dollars per million tokens sent", set_price<&Prices::input>},
    {"models", "output", number(0, most_dollars), "what is known of it", trusted, "",
     "dollars per million tokens of answers", set_price<&Prices::output>},
    {"models", "cache-read", number(0, most_dollars), "what is known of it", trusted, "",
     "dollars per million tokens read from the provider's cache", set_price<&Prices::cache_read>},
    {"models", "cache-write", number(0, most_dollars), "what is known of it", trusted, "",
     "dollars per million tokens written to it", set_price<&Prices::cache_write>},
    {"models", "fallback", models, "as set for all models", trusted, "",
     "what to ask when this one cannot answer", set_fallback},

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
     "that "
     "prints",
     set_pairs<&mcp::ServerEntry::headers>},
    {"mcp", "timeout", whole(1, 1800), "60", trusted, "",
     "seconds that a call may take without a sign of progress", set_timeout},
    {"mcp", "hidden-tools", words, "none", trusted, "",
     "those of its tools that the model does not get: [\"delete_*\"]",
     set_words<&mcp::ServerEntry::hidden>},
    {"mcp", "tools", pairs, "none", trusted, "",
     "how the model gets its tools, { \"get_*\" = \"direct\", \"list_*\" = \"search\" }; hidden: "
     "not "
     "at all",
     set_exposures},
    {"mcp", "protocol", one_of("auto|legacy|modern"), "auto", trusted, "",
     "which era of the protocol it speaks: before 2026-07-28 or since", set_era},
    {"mcp", "enabled", truth, "true", trusted, "", "false: it is not started",
     set_in_server<&mcp::ServerEntry::enabled>},

    {"hooks", "command", text, "none", trusted, "",
     "what a shell runs at that event, or a program if there are args; JSON on standard input says "
     "what it is about",
     set_in_hook<&hooks::Definition::command>},
    {"hooks", "args", words, "none", trusted, "", "the program's arguments; no shell then",
     set_hook_words},
    {"hooks", "matcher", text, "everything", trusted, "",
     "for which tools, or which source, type or reason: names with | between, or a regular "
     "expression",
     set_in_hook<&hooks::Definition::matcher>},
    {"hooks", "if", text, "every call", trusted, "",
     "a rule that narrows it further: bash(git push *)", set_hook_condition},
    {"hooks", "timeout", number(0, 3600), "60; UserPromptSubmit 30, Notification 5, SessionEnd 1.5",
     trusted, "", "seconds it may take", set_hook_time},
    {"hooks", "on-failure", one_of("continue|block"), "continue", trusted, "",
     "what a crash, a timeout or an exit status other than 0 and 2 means", set_on_failure},

    {"aliases", "", text, "none", trusted, "",
     "a short name for a model: fast = \"openai/gpt-6-luna\"", add_alias},
};

std::string plain(double number) {
  return std::to_string(static_cast<std::int64_t>(std::floor(number)));
}

std::string_view who(ConfigKey::Workspace workspace) {
  switch (workspace) {
    case never: return "";
    case tightens: return " [workspace: to tighten]";
    case trusted: return " [workspace: if trusted]";
  }
  return "";
}

}  // namespace

std::span<const ConfigKey> config_keys() { return table; }

const ConfigKey* find_key(std::string_view of, std::string_view name) {
  const auto found = std::ranges::find_if(table, [&](const ConfigKey& key) {
    return key.table == of && (key.name == name || key.name.empty());
  });
  return found == std::end(table) ? nullptr : &*found;
}

bool is_plain_table(std::string_view name) { return name == "expiry"; }

bool is_repeated_table(std::string_view name) { return name == "hooks"; }

const ConfigKey& key_named(std::string_view name) { return *find_key("", name); }

bool is_choice(const ConfigKey& key, std::string_view given) {
  return !given.empty() && given.find('|') == std::string_view::npos &&
         ("|" + std::string(key.values.choices) + "|").find("|" + std::string(given) + "|") !=
             std::string::npos;
}

std::string choices_of(const ConfigKey& key) {
  std::string out(key.values.choices);
  if (const std::size_t last = out.rfind('|'); last != std::string::npos)
    out.replace(last, 1, " or ");
  for (std::size_t at = 0; (at = out.find('|')) != std::string::npos;) out.replace(at, 1, ", ");
  return out;
}

std::string expected(const ConfigKey& key) {
  const std::string range = " from " + plain(key.values.least) + " to " + plain(key.values.most);
  switch (key.values.kind) {
    case Kind::text: return "a text in quotes";
    case Kind::age: return "a length of time, as in \"30d\"";
    case Kind::choice: return choices_of(key);
    case Kind::whole: return "a whole number" + range;
    case Kind::number: return "a number" + range;
    case Kind::truth: return "true or false";
    case Kind::rules: return "rules, as in [\"read\", \"bash(git status)\"]";
    case Kind::models: return "a list of models, as in [\"PROVIDER/MODEL\"]";
    case Kind::names: return "a list of names of files, as in [\".skeinignore\"]";
    case Kind::words: return "a list of texts, as in [\"a\", \"b\"]";
    case Kind::pairs: return "names and texts, as in { NAME = \"value\" }";
  }
  return {};
}

std::string sample(const ConfigKey& key) {
  switch (key.values.kind) {
    case Kind::text: return "TEXT";
    case Kind::age: return "AGE";
    case Kind::choice: return std::string(key.values.choices);
    case Kind::whole:
    case Kind::number: return plain(key.values.least) + "…" + plain(key.values.most);
    case Kind::truth: return "true|false";
    case Kind::rules: return "RULES";
    case Kind::models: return "MODELS";
    case Kind::names: return "NAMES";
    case Kind::words: return "[TEXT, …]";
    case Kind::pairs: return "{ NAME = TEXT, … }";
  }
  return {};
}

std::string_view heading(std::string_view of) {
  if (is_plain_table(of)) return "[expiry]";
  if (of == "providers") return "[providers.NAME]";
  if (of == "models") return "[models.\"PROVIDER/MODEL\"]";
  if (of == "mcp") return "[mcp.NAME]";
  if (of == "hooks") return "[[hooks.EVENT]]";
  return "[aliases]";
}

std::string describe_keys() {
  std::string out;
  std::string_view under;
  for (const ConfigKey& key : table) {
    const std::string place(who(key.workspace));  // the same for all of a table
    if (key.table != under) out += "\n" + std::string(heading(under = key.table)) + place + "\n";
    out += (key.name.empty() ? "NAME" : std::string(key.name)) + " = " + sample(key) + "\n    " +
           std::string(key.meaning) + " (default: " + std::string(key.otherwise) + ")" +
           (under.empty() ? place : "") + "\n";
  }
  return out;
}

}  // namespace skein::app
