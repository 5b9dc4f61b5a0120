#include "app/config.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/trust.h"

namespace skein {

namespace {

namespace fs = std::filesystem;

std::string text_at(const toml::table& table, std::string_view key) {
  return table[key].value_or(std::string{});
}

std::optional<double> number_at(const toml::table& table, std::string_view key) {
  return table[key].value<double>();
}

// "a,b" or ["a", "b"]
std::vector<Rule> rules_at(const toml::table& table, std::string_view key) {
  std::vector<Rule> out;
  const auto add = [&](const std::string& text) {
    for (Rule& rule : parse_rules(text)) out.push_back(std::move(rule));
  };
  if (const auto* list = table[key].as_array()) {
    for (const auto& each : *list) add(each.value_or(std::string{}));
  } else if (const std::string text = text_at(table, key); !text.empty()) {
    add(text);
  }
  return out;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error("cannot read " + file.string(), Trouble::usage);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

toml::table parse_text(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw Error(file + ":" + std::to_string(error.source().begin.line) + ": " +
                    std::string(error.description()),
                Trouble::usage);
  }
}

Mode mode_named(const std::string& name) {
  const std::optional<Mode> mode = parse_mode(name);
  if (!mode) throw Error("'" + name + "' is not a permission mode", Trouble::usage);
  return *mode;
}

std::optional<Sandbox> sandbox_named(const std::string& name) {
  if (name == "auto") return std::nullopt;
  const std::optional<Sandbox> sandbox = parse_sandbox(name);
  if (!sandbox)
    throw Error("'" + name + "' is no sandbox; there are auto, bubblewrap, landlock and none",
                Trouble::usage);
  return sandbox;
}

void add_rules(std::vector<Rule>& to, std::vector<Rule> more, Rule::Origin origin) {
  for (Rule& rule : more) {
    rule.origin = origin;
    to.push_back(std::move(rule));
  }
}

// [providers.NAME]  url, key-command, key-variable, like = the known provider whose format it
// speaks
void add_provider(Catalog& catalog, std::string_view name, const toml::table& table) {
  const std::string like =
      text_at(table, "like").empty() ? std::string(name) : text_at(table, "like");
  const ProviderRow* known = catalog.find_provider(like);
  if (known == nullptr) known = catalog.find_provider("openai");
  ProviderRow row = *known;
  row.name = name;
  const std::string url = text_at(table, "url"), command = text_at(table, "key-command"),
                    variable = text_at(table, "key-variable");
  if (!url.empty()) {
    row.base_url = url;
    row.base_url_variable = {};
  }
  if (!command.empty()) row.key_command = command;
  if (!variable.empty()) row.key_variables = {variable};
  row.key_needed = table["key-needed"].value_or(row.key_needed);
  catalog.add(row);
}

// [models."provider/name"]  window, max-output, images, thinking, input, output, cache-read,
// cache-write
void add_model(Catalog& catalog, std::string_view full_name, const toml::table& table) {
  const std::size_t slash = full_name.find('/');
  if (slash == std::string_view::npos)
    throw Error("a [models] table is named provider/model, not '" + std::string(full_name) + "'",
                Trouble::usage);
  ModelRow row = catalog.find_model(
      {std::string(full_name.substr(0, slash)), std::string(full_name.substr(slash + 1))});
  row.provider = full_name.substr(0, slash);
  row.name = full_name.substr(slash + 1);
  row.known = true;
  row.window = table["window"].value_or(row.window);
  row.max_output = table["max-output"].value_or(row.max_output);
  row.images = table["images"].value_or(row.images);
  if (table["thinking"].value_or(false)) row.thinks = Thinks::optional;
  const auto price = [&](std::string_view key, std::optional<double>& into) {
    if (const auto value = number_at(table, key)) into = value;
  };
  price("input", row.prices.input);
  price("output", row.prices.output);
  price("cache-read", row.prices.cache_read);
  price("cache-write", row.prices.cache_write);
  catalog.add(row);
}

template <class Add>
void each_table(const toml::table& root, std::string_view key, Add add) {
  if (const auto* tables = root[key].as_table())
    for (const auto& [name, value] : *tables)
      if (const auto* table = value.as_table()) add(name.str(), *table);
}

// Who answers, where, and what it is told: the user's to say, or that of a workspace they trust.
constexpr auto choices =
    std::to_array<std::string_view>({"model", "thinking", "system-prompt", "append-system-prompt",
                                     "providers", "models", "aliases"});

void apply_choices(Config& config, const toml::table& root, Catalog& catalog) {
  const auto set = [&](std::string_view key, std::string& value) {
    if (std::string given = text_at(root, key); !given.empty()) value = std::move(given);
  };
  set("model", config.model);
  set("thinking", config.thinking);
  set("system-prompt", config.system_prompt);
  set("append-system-prompt", config.append_system_prompt);
  each_table(root, "providers", [&](std::string_view name, const toml::table& table) {
    add_provider(catalog, name, table);
  });
  each_table(root, "models", [&](std::string_view name, const toml::table& table) {
    add_model(catalog, name, table);
  });
  if (const auto* aliases = root["aliases"].as_table())
    for (const auto& [name, value] : *aliases)
      catalog.add_alias(std::string(name.str()), value.value_or(std::string{}));
}

void apply_user_file(Config& config, const toml::table& root, Catalog& catalog) {
  apply_choices(config, root, catalog);
  config.max_turns = root["max-turns"].value_or(config.max_turns);
  config.terminal_marks = root["terminal-marks"].value_or(config.terminal_marks);
  config.compact_at = number_at(root, "compact-at").value_or(config.compact_at);
  if (config.compact_at < 0 || config.compact_at > 1)
    throw Error("compact-at is a part of the window, from 0 (never) to 1", Trouble::usage);
  if (const std::string mode = text_at(root, "permission-mode"); !mode.empty())
    config.rules.mode = mode_named(mode);
  if (const std::string sandbox = text_at(root, "sandbox"); !sandbox.empty())
    config.sandbox = sandbox_named(sandbox);
  add_rules(config.rules.allow, rules_at(root, "allowed-tools"), Rule::Origin::configuration);
  add_rules(config.rules.deny, rules_at(root, "disallowed-tools"), Rule::Origin::configuration);
}

// Takes from a workspace what takes something away; whether `key` did.
bool tighten(Config& config, const toml::table& root, std::string_view key) {
  if (key == "disallowed-tools") {
    add_rules(config.rules.deny, rules_at(root, key), Rule::Origin::workspace);
    return true;
  }
  if (key == "permission-mode" && text_at(root, key) == name(Mode::plan)) {
    config.rules.mode = Mode::plan;
    return true;
  }
  const int turns = key == "max-turns" ? root[key].value_or(0) : 0;
  if (turns <= 0 || turns > config.max_turns) return false;
  config.max_turns = turns;
  return true;
}

// Whoever wrote a checkout is not its user.
void apply_workspace_file(Config& config, const WorkspaceFile& file, Trust trust,
                          Catalog& catalog) {
  const toml::table root = parse_text(file.text, file.path);
  std::string passed_over, waiting;
  const auto note = [](std::string& list, std::string_view key) {
    list += (list.empty() ? "" : ", ") + std::string(key);
  };
  for (const auto& [key, value] : root)
    if (std::ranges::count(choices, key.str()) == 0 && !tighten(config, root, key.str()))
      note(passed_over, key.str());
  for (const std::string& key : file.wants) note(waiting, key);
  if (trust == Trust::given) apply_choices(config, root, catalog);
  if (!passed_over.empty())
    config.notices.push_back(file.path +
                             " may only tighten what tools may do; passed over: " + passed_over);
  if (!waiting.empty() && trust == Trust::unknown)
    config.notices.push_back(file.path + " is not trusted; passed over: " + waiting +
                             " (`skein trust` lets it set them)");
}

}  // namespace

std::string config_folder() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config)
    return std::string(config) + "/skein";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.config/skein";
  return {};
}

std::optional<WorkspaceFile> workspace_file(const std::string& workspace) {
  const fs::path path = fs::path(workspace) / ".skein/config.toml";
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  WorkspaceFile file{path.string(), text_of(path)};
  const toml::table root = parse_text(file.text, file.path);
  for (const std::string_view key : choices)
    if (root.contains(key)) file.wants.emplace_back(key);
  return file;
}

Config load_config(const Invocation& invocation, const std::string& workspace, Catalog& catalog) {
  Config config;
  const char* named = std::getenv("SKEIN_CONFIG");
  const fs::path own =
      named && *named ? fs::path(named) : fs::path(config_folder()) / "config.toml";
  std::error_code ignored;
  if (fs::exists(own, ignored))
    apply_user_file(config, parse_text(text_of(own), own.string()), catalog);
  else if (named && *named)
    throw Error("SKEIN_CONFIG names " + own.string() + ", which is not there", Trouble::usage);
  if (const auto theirs = workspace_file(workspace))
    apply_workspace_file(config, *theirs, trust_in(workspace, theirs->text), catalog);

  if (!invocation.model.empty()) config.model = invocation.model;
  if (!invocation.thinking.empty()) config.thinking = invocation.thinking;
  if (invocation.max_turns > 0) config.max_turns = invocation.max_turns;
  if (!invocation.permission_mode.empty())
    config.rules.mode = mode_named(invocation.permission_mode);
  for (const std::string& text : invocation.allowed_tools)
    add_rules(config.rules.allow, parse_rules(text), Rule::Origin::flag);
  for (const std::string& text : invocation.disallowed_tools)
    add_rules(config.rules.deny, parse_rules(text), Rule::Origin::flag);
  if (!invocation.system_prompt.empty()) config.system_prompt = invocation.system_prompt;
  if (!invocation.append_system_prompt.empty())
    config.append_system_prompt = invocation.append_system_prompt;
  return config;
}

}  // namespace skein
