#include "app/setting_origin.h"

#include <algorithm>

#include "app/load_config.h"
#include "core/exchange/secrets.h"
#include "core/text/json.h"
#include "core/text/spelling.h"
#include "core/text/text.h"
#include "providers/keys.h"

namespace skein::app {

using Giver = SettingOrigin::Giver;

namespace {

struct GivenSetting {
  config::Item item{};
  SettingOrigin origin{};
};

// What the flags of this invocation set. The parser has put what the environment says in the same
// place, if there was no flag.
std::vector<GivenSetting> given_by_flags(const Invocation& invocation) {
  std::vector<GivenSetting> out;
  const auto item = [&](std::string_view key) -> config::Item& {
    out.push_back(
        {config::Item{.key = &config::key_named(key)}, {Giver::flag, "--" + std::string(key)}});
    return out.back().item;
  };
  const std::pair<std::string_view, const std::string*> texts[] = {
      {"model", &invocation.model},
      {"thinking", &invocation.thinking},
      {"permission-mode", &invocation.permission_mode},
      {"system-prompt", &invocation.system_prompt},
      {"append-system-prompt", &invocation.append_system_prompt},
      {"home", &invocation.home},
      {"color", &invocation.color}};
  for (const auto& [key, text] : texts)
    if (!text->empty()) item(key).text = *text;
  const std::pair<std::string_view, const char*> variables[] = {{"model", "SKEIN_MODEL"},
                                                                {"home", "SKEIN_HOME"}};
  for (const auto& [key, variable] : variables)
    for (GivenSetting& each : out)
      if (each.item.key->name == key && each.item.text == env(variable))
        each.origin = {Giver::environment, variable};
  if (!invocation.allowed_tools.empty()) item("allowed-tools").list = invocation.allowed_tools;
  if (!invocation.disallowed_tools.empty())
    item("disallowed-tools").list = invocation.disallowed_tools;
  if (invocation.max_turns > 0) item("max-turns").number = invocation.max_turns;
  if (invocation.screen_reader) item("screen-reader").truth = true;
  if (invocation.quiet) item("quiet").truth = true;
  return out;
}

Json value_of(const config::Item& item) {
  switch (item.key->values.kind) {
    case config::Kind::text:
    case config::Kind::age:
    case config::Kind::choice: return item.text;
    case config::Kind::whole: return static_cast<std::int64_t>(item.number);
    case config::Kind::number: return item.number;
    case config::Kind::truth: return item.truth;
    case config::Kind::rules:
    case config::Kind::models:
    case config::Kind::names:
    case config::Kind::words:
    case config::Kind::chords: return item.list;
    case config::Kind::pairs: return item.pairs;
  }
  return nullptr;
}

// The value without anything that must not be seen, in any of its texts.
Json masked(const Json& value, const config::Key& key, const std::vector<std::string>& keys) {
  if (value.is_string()) {
    // It may hold the key itself.
    if (key.name == "key-command") return "(a command, not shown)";
    return exchange::SecretMask().text(providers::mask_secrets(value.get<std::string>(), keys));
  }
  if (value.is_object()) {  // variables and headers, made to carry secrets
    Json names = Json::object();
    for (const auto& [name, _] : value.items()) names[name] = "(not shown)";
    return names;
  }
  if (!value.is_array()) return value;
  Json out = Json::array();
  for (const Json& each : value) out.push_back(masked(each, key, keys));
  return out;
}

[[noreturn]] void no_such_key(std::string_view name) {
  std::vector<std::string> names;
  for (const config::Key& key : config::keys())
    names.push_back((key.table.empty() ? "" : std::string(key.table) + ".") +
                    (key.table.empty() || config::is_plain_table(key.table) ? "" : "NAME.") +
                    std::string(key.name));
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view meant = nearest(name, views);
  throw Error("there is no key " + std::string(name) +
                  (meant.empty() ? "; `skein help config` lists them"
                                 : "; did you mean " + std::string(meant) + "?"),
              ExitStatus::usage);
}

}  // namespace

SettingName parse_setting(std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string_view table = dot == std::string_view::npos ? "" : name.substr(0, dot);
  std::string_view rest = dot == std::string_view::npos ? name : name.substr(dot + 1);
  SettingName out;
  if (!table.empty() && !config::is_plain_table(table)) {
    // Names of models have dots in them, fields have none.
    const bool flat = config::find_key(table, "") != nullptr;
    const std::size_t last = flat ? rest.size() : rest.rfind('.');
    if (last == std::string_view::npos) no_such_key(name);
    out.owner = trimmed(rest.substr(0, last), "\"'");
    rest = flat ? "" : rest.substr(last + 1);
    if (out.owner.empty()) no_such_key(name);
  }
  out.key = config::find_key(table, rest);
  if (out.key == nullptr) no_such_key(name);
  return out;
}

std::string_view giver_name(Giver giver) {
  switch (giver) {
    case Giver::standard: return "default";
    case Giver::file: return "file";
    case Giver::environment: return "environment";
    case Giver::flag: return "flag";
  }
  return {};
}

std::string described(const SettingOrigin& origin) {
  switch (origin.giver) {
    case Giver::standard: return "default";
    case Giver::file: return origin.place + ":" + std::to_string(origin.line);
    case Giver::environment: return "$" + origin.place;
    case Giver::flag: return origin.place;
  }
  return {};
}

Setting setting_in_force(const Invocation& invocation, const std::string& workspace,
                         const SettingName& name) {
  catalog::Catalog catalog;
  std::vector<GivenSetting> given;
  const config::Config config = load_config_anyway(
      invocation, workspace, catalog, [&](const config::Item& item, const std::string& file) {
        given.push_back({item, {Giver::file, file, item.line}});
      });
  std::ranges::move(given_by_flags(invocation), std::back_inserter(given));
  providers::Keyring keys;
  keys.take_environment(catalog.key_variables());

  Setting out{.troubles = config.troubles};
  Json value;
  for (const GivenSetting& each : given) {
    if (each.item.key != name.key || each.item.owner != name.owner) continue;
    Json next = masked(value_of(each.item), *name.key, keys.secrets());
    if (name.key->values.kind == config::Kind::rules && value.is_array()) {
      for (Json& rule : next) value.push_back(std::move(rule));
    } else {
      value = std::move(next);
      out.origins.clear();
    }
    out.origins.push_back(each.origin);
  }
  if (out.origins.empty()) out.origins.push_back({});
  if (!value.is_null()) out.value = dump(value);
  return out;
}

}  // namespace skein::app
