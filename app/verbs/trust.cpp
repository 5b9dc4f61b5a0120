#include "app/trust.h"
#include "app/claude_settings.h"
#include "app/configured_hooks.h"
#include "app/home.h"
#include "app/load_config.h"
#include "app/trust_items.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/text/base.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::verbs {

using app::TrustItem, project::TrustRecord;

namespace {

int remove_trust(const std::string& workspace, app::ProjectFiles& files) {
  app::set_trust(workspace, "", app::Trust::unknown);
  TrustRecord& record = files.trust();
  const bool had = !record.is_empty();
  record.clear();
  if (had) record.save();
  print_line("no longer trusted: " + workspace);
  return 0;
}

// What was trusted anywhere, changed since or not.
int list_trust(const app::Invocation& invocation) {
  Json all = Json::array();
  std::string text;
  const auto add = [&](const std::string& what, const std::string& path) {
    all.push_back({{"what", what}, {"path", path}});
    text += (text.empty() ? "" : "\n") + pad(what, 14) + path;
  };
  for (const std::string& workspace : app::trusted_workspaces())
    add("configuration", workspace + "/.skein/config.toml");
  for (const std::string& root : TrustRecord::roots(app::trust_folder()))
    for (const std::string& path : TrustRecord(app::trust_folder(), root).paths())
      add("file", path);
  print_answer(invocation, dump(all), text.empty() ? "nothing is trusted" : text);
  return 0;
}

}  // namespace

// skein trust [--list] [--remove]
int trust(const app::Invocation& invocation) {
  if (invocation.has("--list")) return list_trust(invocation);
  const std::string workspace = app::workspace_folder(invocation);
  app::ProjectFiles files(app::places_around(workspace));
  if (invocation.has("--remove")) return remove_trust(workspace, files);
  const std::optional<app::WorkspaceFile> file = app::workspace_file(workspace);
  app::FoundItems found = app::all_to_trust(files);
  if (file) {
    app::check_before_trust(invocation, *file);
    app::set_trust(workspace, file->text, app::Trust::given);
    print_line("trusted, as it is now: " + file->path +
               (file->wants.empty() ? "" : "\nit may set " + listed(file->wants)));
    for (const hooks::Definition& each : app::hooks_in(*file, workspace))
      print_line("  it runs, at " + app::hook_report(each, files.places()));
  }
  catalog::Catalog catalog;
  const config::Config config = app::load_config_anyway(invocation, workspace, catalog);
  for (TrustItem& each : app::hooks_to_trust(config, files)) found.items.push_back(std::move(each));
  for (TrustItem& each : app::permissions_to_trust(files)) found.items.push_back(std::move(each));
  if (!file && found.items.empty())
    throw Error(workspace +
                    " has nothing to trust: no .skein/config.toml, no skills, no commands, no "
                    "agents, no hooks, no permissions, no .mcp.json",
                ExitStatus::usage);
  for (const TrustItem& each : found.items) {
    files.trust().set(each.path, each.sha256, app::Trust::given);
    print_line("trusted, as it is now: " + each.path + " (" + each.kind +
               (each.what.empty() ? ")" : ")\n  " + each.what));
  }
  if (!found.items.empty()) files.trust().save();
  if (found.cut)
    tell_user("there are more skills than 5,000 folders hold; the rest is not trusted");
  return 0;
}

}  // namespace skein::verbs
