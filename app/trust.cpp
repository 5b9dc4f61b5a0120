#include "app/trust.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "app/configured_hooks.h"
#include "app/load_config.h"
#include "app/mcp_servers.h"
#include "app/signals.h"
#include "app/trust_items.h"
#include "core/text/json.h"
#include "core/text/sha256.h"
#include "core/text/small_file.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"
#include "repl/prompt/line_editor.h"

namespace skein::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_shown = 8u << 10;

fs::path trust_file() {
  const std::string folder = config_folder();
  return folder.empty() ? fs::path{} : fs::path(folder) / "trusted.json";
}

Json read_trusted() {
  const std::optional<Json> json = parse_json(file_text(trust_file().string()).value_or(""));
  return json && json->is_object() ? *json : Json::object();
}

void write_trusted(const Json& all) {
  const fs::path file = trust_file();
  if (file.empty())
    throw Error("there is no place for trust: set HOME or XDG_CONFIG_HOME", ExitStatus::storage);
  if (!replace_small_file(file.string(), dump(all) + "\n", Lasting::yes))
    throw Error("cannot write " + file.string() + ": " + std::strerror(errno), ExitStatus::storage);
}

}  // namespace

std::string trust_folder() {
  const std::string folder = config_folder();
  return folder.empty() ? "" : folder + "/trusted";
}

Trust trust_in(const std::string& workspace, const std::string& text) {
  const Json all = read_trusted();
  const Json& known = at(all, workspace);
  if (string_at(known, "sha256") != sha256_hex(text)) return Trust::unknown;
  return bool_at(known, "trusted") ? Trust::given : Trust::refused;
}

void set_trust(const std::string& workspace, const std::string& text, Trust trust) {
  Json all = read_trusted();
  if (trust == Trust::unknown)
    all.erase(workspace);
  else
    all[workspace] = {{"sha256", sha256_hex(text)}, {"trusted", trust == Trust::given}};
  write_trusted(all);
}

std::optional<bool> answered(const std::string& question) {
  edit::Draft answer;
  const auto editor =
      prompt::make_plain_editor(STDIN_FILENO, true, [] { return stop_asked().load(); });
  if (editor->read(question, answer) != prompt::LineEditor::ReadResult::line) return std::nullopt;
  return answer.text == "y" || answer.text == "yes";
}

namespace {

// Those that are new or have changed. Of very many only `skein trust` tells: a start should not
// read them all.
void offer_skills(ProjectFiles& files) {
  constexpr project::SkillLimits look{.folders = 200, .skills = 50};
  FoundItems found = instructions_to_trust(files, look);
  std::erase_if(found.items, [](const TrustItem& each) { return each.trust != Trust::unknown; });
  if (found.cut || found.items.empty()) return;
  std::string text = "This project has instructions for the model that you have not seen yet:\n\n";
  for (const TrustItem& each : found.items)
    text += "  " + (each.what.empty() ? each.path : each.what + "\n    " + each.path) + "\n";
  std::fputs(layout::sanitized(text).c_str(), stdout);
  std::fflush(stdout);
  const std::optional<bool> agreed = answered("Load them, as they are now? [y/N] › ");
  if (!agreed) return;
  for (const TrustItem& each : found.items)
    files.trust().set(each.path, each.sha256, *agreed ? Trust::given : Trust::refused);
  files.trust().save();
}

void offer_configuration(const project::Places& places) {
  const std::string& workspace = places.workspace;
  const std::optional<WorkspaceFile> file = workspace_file(workspace);
  if (!file || file->wants.empty() || file->text.size() > most_shown ||
      trust_in(workspace, file->text) != Trust::unknown)
    return;
  std::string question = file->path + " wants to set " + listed(file->wants) + ":\n\n" +
                         file->text +
                         "\nIt came with this workspace. Addresses and key commands in it "
                         "decide who gets your prompts and keys.\n";
  for (const hooks::Definition& each : hooks_in(*file, workspace))
    question += "It would run, at " + hook_report(each, places) + "\n";
  std::fputs(layout::sanitized(question).c_str(), stdout);
  std::fflush(stdout);
  const std::optional<bool> agreed = answered("Trust it, as it is now? [y/N] › ");
  if (agreed) set_trust(workspace, file->text, *agreed ? Trust::given : Trust::refused);
}

void offer_servers(ProjectFiles& files) {
  const std::optional<SharedServers> file = shared_servers_file(files);
  if (!file || file->text.size() > most_shown ||
      files.trust().of(file->path, sha256_hex(file->text)) != Trust::unknown)
    return;
  const std::string question =
      file->path + " wants to start these programs whenever skein starts here:\n\n" + file->text +
      "\nIt came with this workspace. They would run as you, outside of "
      "the sandbox.\n";
  std::fputs(layout::sanitized(question).c_str(), stdout);
  std::fflush(stdout);
  const std::optional<bool> agreed = answered("Let them run, as it is now? [y/N] › ");
  if (!agreed) return;
  files.trust().set(file->path, sha256_hex(file->text), *agreed ? Trust::given : Trust::refused);
  files.trust().save();
}

// Whether there can be any, told without reading much: most have none.
bool may_have_hooks(const std::string& workspace) {
  constexpr std::size_t most = 1u << 20;
  std::vector<std::string> files{user_config_file(), workspace_config_file(workspace)};
  if (const std::string folder = config_folder(); !folder.empty())
    files.push_back(folder + "/hooks.json");
  for (const std::string& file : files)
    if (read_small_file(file, most).find("hooks") != std::string::npos) return true;
  return false;
}

void offer_hooks(const Invocation& invocation, ProjectFiles& files) {
  const std::string& workspace = files.places().workspace;
  if (invocation.no_hooks || !may_have_hooks(workspace)) return;
  catalog::Catalog catalog;
  std::vector<TrustItem> items =
      hooks_to_trust(load_config_anyway(invocation, workspace, catalog), files);
  std::erase_if(items, [](const TrustItem& each) { return each.trust != Trust::unknown; });
  if (items.empty()) return;
  std::string text = "This project brings along what is run at fixed points of a session:\n\n";
  for (const TrustItem& each : items)
    text += "  " + each.path + " (" + each.kind +
            (files.trust().knows(each.path) ? ", changed since you trusted it" : "") + ")\n    " +
            each.what + "\n";
  text += "\nThey would run as you, outside of the sandbox; read them first.\n";
  std::fputs(layout::sanitized(text).c_str(), stdout);
  std::fflush(stdout);
  const std::optional<bool> agreed = answered("Let them run, as they are now? [y/N] › ");
  if (!agreed) return;
  for (const TrustItem& each : items)
    files.trust().set(each.path, each.sha256, *agreed ? Trust::given : Trust::refused);
  files.trust().save();
}

}  // namespace

void offer_trust(const Invocation& invocation, const project::Places& places) {
  ProjectFiles files(places);
  offer_configuration(places);
  offer_skills(files);
  offer_hooks(invocation, files);
  if (!invocation.strict_mcp_config) offer_servers(files);
}

std::vector<std::string> trusted_workspaces() {
  std::vector<std::string> out;
  const Json all = read_trusted();
  for (const auto& [workspace, known] : all.items())
    if (bool_at(known, "trusted")) out.push_back(workspace);
  return out;
}

}  // namespace skein::app
