// skein config path|check|get: which files are read, what is wrong in them, and what is in force.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/home.h"
#include "app/load_config.h"
#include "app/setting_origin.h"
#include "app/trust.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::verbs {

namespace {

struct ConfigPlace {
  std::string_view whose;  // "user", "workspace"
  std::string path{};
  bool there = false;
  std::string note{};  // what is special about it
};

std::string_view note_on(app::Trust trust) {
  switch (trust) {
    case app::Trust::given: return "trusted";
    case app::Trust::refused: return "not trusted: it may only tighten";
    case app::Trust::unknown: return "not trusted yet: it may only tighten; see `skein trust`";
  }
  return {};
}

// In the order in which they are read; what a later one says counts.
std::vector<ConfigPlace> config_places(const std::string& workspace) {
  std::vector<ConfigPlace> places{{"user", app::user_config_file()},
                                  {"workspace", app::workspace_config_file(workspace)}};
  std::error_code ignored;
  for (ConfigPlace& each : places) each.there = std::filesystem::exists(each.path, ignored);
  if (!env("SKEIN_CONFIG").empty()) places[0].note = "named by $SKEIN_CONFIG";
  if (places[0].path.empty()) places[0].note = "nowhere: HOME is not set to an absolute path";
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

struct Checked {
  std::vector<std::string> troubles{};
  std::vector<std::string> notices{};  // what is right and does not count
};
// The workspace's file is also read as if it were trusted: who writes it wants to know before.
Checked checked(const app::Invocation& invocation, const std::string& workspace) {
  catalog::Catalog catalog;
  const config::Config config = app::load_config_anyway(invocation, workspace, catalog);
  const auto file = app::workspace_file(workspace);
  return {file ? app::troubles_once_trusted(invocation, *file) : config.troubles, config.notices};
}

}  // namespace

int config_path(const app::Invocation& invocation) {
  Json out = Json::array();
  for (const ConfigPlace& each : config_places(app::workspace_folder(invocation))) {
    out.push_back({{"whose", each.whose},
                   {"path", each.path},
                   {"exists", each.there},
                   {"note", each.note.empty() ? Json(nullptr) : Json(each.note)}});
    if (invocation.has("--json")) continue;
    const std::string note = each.there || each.path.empty() ? each.note : "not there";
    print_line(pad(std::string(each.whose), 11) + each.path +
               (note.empty() ? "" : "  (" + note + ")"));
  }
  if (invocation.has("--json")) print_json(dump(out));
  return 0;
}

int check_config(const app::Invocation& invocation) {
  const std::string workspace = app::workspace_folder(invocation);
  const std::vector<ConfigPlace> places = config_places(workspace);
  const auto [troubles, notices] = checked(invocation, workspace);
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
  std::size_t read = 0;
  for (const ConfigPlace& each : places) read += each.there;
  if (troubles.empty())
    print_line(read == 0 ? "there is no configuration; `skein config path` says where it could be"
                         : "nothing is wrong in " + counted(read, "file"));
  return status;
}

int get_setting(const app::Invocation& invocation) {
  const std::string& asked = invocation.arguments.at(0);
  const app::SettingName name = app::parse_setting(asked);
  const app::Setting setting =
      app::setting_in_force(invocation, app::workspace_folder(invocation), name);
  if (!setting.troubles.empty())
    tell_user(
        "the configuration has mistakes, which are passed over here; `skein config check` "
        "lists them");
  if (invocation.has("--json")) {
    Json origins = Json::array();
    for (const app::SettingOrigin& each : setting.origins)
      origins.push_back({{"from", app::giver_name(each.giver)},
                         {"place", each.place.empty() ? Json(nullptr) : Json(each.place)},
                         {"line", each.line == 0 ? Json(nullptr) : Json(each.line)}});
    print_json(dump({{"key", asked},
                     {"value", parse_json(setting.value).value_or(nullptr)},
                     {"default", name.key->otherwise},
                     {"origins", std::move(origins)}}));
    return 0;
  }
  std::string from;
  for (const app::SettingOrigin& each : setting.origins)
    from += (from.empty() ? "" : ", ") + app::described(each);
  print_line(
      asked + " = " +
      (setting.value.empty() ? std::string(name.key->otherwise) : printable_json(setting.value)) +
      "  # " + from);
  return 0;
}

}  // namespace skein::verbs
