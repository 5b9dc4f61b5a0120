// skein config path|check|get: which files are read, what is wrong in them, and what is in force.

#include "app/config/keys.h"
#include "app/invocation/cli.h"
#include "app/setup/load_config.h"
#include "app/setup/model_access.h"
#include "app/trust/trust.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/export/secrets.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "providers/keys.h"

namespace skein::verbs {

using app::load_config_anyway, app::SettingOrigin;

namespace {

// A key as people write it: "max-turns", "providers.work.url", "models.work/large.window".
struct SettingName {
  const config::Key* key = nullptr;
  std::string owner{};  // the "work" of the second
};

struct Setting {
  Json value{};                          // null: it is not set
  std::vector<SettingOrigin> origins{};  // rules add up; of everything else there is one
  std::vector<std::string> troubles{};   // of the files
};

using Giver = SettingOrigin::Giver;

Json value_of(const config::Item& item) {
  using enum config::Kind;
  switch (item.key->values.kind) {
    case text:
    case age:
    case choice: return item.text;
    case whole: return static_cast<std::int64_t>(item.number);
    case number: return item.number;
    case truth: return item.truth;
    case pairs: return item.pairs;
    default: return item.list;
  }
}

// The value without anything that must not be seen, in any of its texts.
Json masked(const Json& value, const config::Key& key, const std::vector<std::string>& keys) {
  if (value.is_string()) {
    // It may hold the key itself.
    if (key.name == "key-command") return "(a command, not shown)";
    return exporters::SecretMask().text(providers::mask_secrets(value.get<std::string>(), keys));
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
  throw UsageError("there is no key " + std::string(name) + "; " + config::guess(name, views));
}

// Throws Error (usage) if there is no such key.
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
  if (const config::RemovedKey* const removed = config::find_removed_key(name))
    throw UsageError(std::string(name) + " was removed: " + std::string(removed->instead));
  if (out.key == nullptr) no_such_key(name);
  return out;
}

// By Giver.
constexpr std::string_view giver_names[] = {"default", "file", "environment", "flag"};

// "default", "FILE:LINE", "$SKEIN_MODEL"
std::string described(const SettingOrigin& origin) {
  if (origin.giver == Giver::standard) return "default";
  if (origin.giver == Giver::file) return origin.place + ":" + std::to_string(origin.line);
  return (origin.giver == Giver::environment ? "$" : "") + origin.place;
}

// Keys and passwords in it are masked; of a command that prints a key nothing is shown.
Setting setting_in_force(const Invocation& invocation, const std::string& workspace,
                         const SettingName& name) {
  catalog::Catalog catalog;
  std::vector<app::GivenSetting> given;
  const config::Config config = load_config_anyway(
      invocation, workspace, catalog, [&](const config::Item& item, const std::string& file) {
        given.push_back({item, {Giver::file, file, item.line}});
      });
  std::ranges::move(app::flag_settings(invocation), std::back_inserter(given));
  const providers::Keyring keys = app::gathered_keys(catalog);

  Setting out{.troubles = config.troubles};
  for (const app::GivenSetting& each : given) {
    if (each.item.key != name.key || each.item.owner != name.owner) continue;
    Json next = masked(value_of(each.item), *name.key, keys.secrets());
    if (name.key->values.kind == config::Kind::rules && out.value.is_array()) {
      for (Json& rule : next) out.value.push_back(std::move(rule));
    } else {
      out.value = std::move(next);
      out.origins.clear();
    }
    out.origins.push_back(each.origin);
  }
  if (out.origins.empty()) out.origins.push_back({});
  return out;
}

struct ConfigPlace {
  std::string_view whose;  // "user", "workspace"
  std::string path{};
  bool there = false;
  std::string note{};  // what is special about it
};

std::string_view note_on(app::Trust trust) {
  return trust == app::Trust::given ? "trusted"
         : trust == app::Trust::refused
             ? "not trusted: it may only restrict tools further"
             : "not trusted yet: it may only restrict tools further; see `skein trust`";
}

// In the order in which they are read; what a later one says counts.
std::vector<ConfigPlace> config_places(const std::string& workspace) {
  std::vector<ConfigPlace> places{{"user", app::user_config_file()},
                                  {"workspace", app::workspace_config_file(workspace)}};
  std::error_code ignored;
  for (ConfigPlace& each : places) each.there = std::filesystem::exists(each.path, ignored);
  if (!env("SKEIN_CONFIG").empty()) places[0].note = "from $SKEIN_CONFIG";
  if (places[0].path.empty()) places[0].note = "no path: HOME is not an absolute path";
  if (const auto file = app::workspace_file(workspace); file && !file->wants.empty())
    places[1].note = note_on(app::trust_in(workspace, file->text));
  return places;
}

// "FILE:3: what is wrong" taken apart; of a file that cannot be read there is no line.
Json trouble_json(const std::string& trouble, const std::vector<ConfigPlace>& places) {
  for (const ConfigPlace& place : places) {
    if (!trouble.starts_with(place.path + ":")) continue;
    const std::string rest = trouble.substr(place.path.size() + 1);
    const std::size_t colon = std::min(rest.find(": "), rest.size());
    return {{"file", place.path},
            {"line", std::atoi(rest.c_str())},
            {"message", rest.substr(std::min(colon + 2, rest.size()))}};
  }
  return {{"file", nullptr}, {"line", nullptr}, {"message", trouble}};
}

}  // namespace

void config_path(const Invocation& invocation) {
  ListPrinter out(invocation);
  for (const ConfigPlace& each : config_places(app::workspace_folder(invocation))) {
    const std::string note = each.there || each.path.empty() ? each.note : "does not exist";
    out.add(
        dump({{"whose", each.whose},
              {"path", each.path},
              {"exists", each.there},
              {"note", each.note.empty() ? Json(nullptr) : Json(each.note)}}),
        pad(std::string(each.whose), 11) + each.path + (note.empty() ? "" : "  (" + note + ")"));
  }
  out.end();
}

int check_config(const Invocation& invocation) {
  const std::string workspace = app::workspace_folder(invocation);
  const std::vector<ConfigPlace> places = config_places(workspace);
  catalog::Catalog catalog;
  const config::Config config = load_config_anyway(invocation, workspace, catalog);
  // The workspace's file is also read as if it were trusted: who writes it wants to know before.
  const auto file = app::workspace_file(workspace);
  const std::vector<std::string> troubles =
      file ? app::troubles_once_trusted(invocation, *file) : config.troubles;
  std::vector<std::string> notices = config.notices;
  if (!config.untrusted.empty()) notices.push_back(app::untrusted_line(config.untrusted));
  Json list = Json::array();
  for (const std::string& trouble : troubles) list.push_back(trouble_json(trouble, places));
  const int status = troubles.empty() ? 0 : static_cast<int>(ExitStatus::usage);
  if (invocation.has("--json")) {
    print_json(
        dump({{"ok", troubles.empty()}, {"troubles", std::move(list)}, {"notices", notices}}));
    return status;
  }
  for (const std::string& trouble : troubles) print_line(trouble);
  for (const std::string& notice : notices) print_line("note: " + notice);
  const auto read = static_cast<std::size_t>(std::ranges::count_if(places, &ConfigPlace::there));
  if (troubles.empty())
    print_line(read == 0 ? "there is no configuration; `skein config path` shows where to put it"
                         : "no mistakes in " + counted(read, "file"));
  return status;
}

void get_setting(const Invocation& invocation) {
  const std::string& asked = invocation.arguments.at(0);
  const SettingName name = parse_setting(asked);
  const Setting setting = setting_in_force(invocation, app::workspace_folder(invocation), name);
  if (!setting.troubles.empty())
    tell_user("the configuration has mistakes, ignored here; `skein config check` lists them");
  if (invocation.has("--json")) {
    Json origins = Json::array();
    for (const SettingOrigin& each : setting.origins)
      origins.push_back({{"from", giver_names[static_cast<std::size_t>(each.giver)]},
                         {"place", each.place.empty() ? Json(nullptr) : Json(each.place)},
                         {"line", each.line == 0 ? Json(nullptr) : Json(each.line)}});
    return print_json(dump({{"key", asked},
                            {"value", setting.value},
                            {"default", name.key->otherwise},
                            {"origins", std::move(origins)}}));
  }
  print_line(asked + " = " +
             // JSON of a value is TOML as well.
             (setting.value.is_null() ? std::string(name.key->otherwise)
                                      : printable_json(dump(setting.value))) +
             "  # " + listed(setting.origins, ", ", described));
}

}  // namespace skein::verbs
