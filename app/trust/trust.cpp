#include "app/trust/trust.h"

#include <fcntl.h>

#include "app/invocation/paths.h"
#include "core/permission/claude_rules.h"
#include "core/project/executed_files.h"
#include "core/project/own_commands.h"
#include "core/subagents/definition.h"
#include "core/text/checksum.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/tools/tools.h"

namespace skein::app {

using project::MarkdownFile, project::OwnFolder;

namespace {

namespace fs = std::filesystem;

std::string trust_file() { return below(config_folder(), "trusted.json"); }

Json read_trusted() {
  const std::optional<Json> json = parse_json(file_text(trust_file()).value_or(""));
  return json && json->is_object() ? *json : Json::object();
}

void write_trusted(const Json& all) {
  const std::string file = trust_file();
  if (file.empty())
    throw Error("no folder to record trust in: set HOME or XDG_CONFIG_HOME", ExitStatus::storage);
  if (!replace_small_file(file, dump(all) + "\n", Lasting::yes))
    throw Error("cannot write " + file + ": " + std::strerror(errno), ExitStatus::storage);
}

constexpr std::size_t most_program_bytes = 64u << 20;

class TrustFinder {
 public:
  explicit TrustFinder(ProjectTrust& project) : project_(project) {}

  void add(std::string kind, const std::string& path, std::string what, std::string sha256) {
    if (sha256.empty() || !seen_.insert(path).second) return;
    const Trust known = project_.record().of(path, sha256);
    found_.items.push_back({std::move(kind), path, std::move(what), std::move(sha256), known});
  }

  void add_executed(const MarkdownFile& file) {
    for (const std::string& path : project::executed_files(file, project_.places()).files)
      add("file that a command runs", path, "", hash_of_program(path));
  }

  void add_skills(const project::SkillLimits& look) {
    std::vector<OwnFolder> folders = project::skill_folders(project_.places());
    std::erase_if(folders, [](const OwnFolder& folder) { return !folder.of_project; });
    const project::SkillPlaces places = project::find_skills(folders, project_.places(), look);
    found_.cut = found_.cut || places.cut;
    for (const project::SkillPlace& place : places.found) {
      const std::string path = place.folder + "/" + std::string(project::skill_file);
      const MarkdownFile file = project::read_markdown(path);
      const project::Skill skill =
          project::skill_from(file, fs::path(place.folder).filename().string());
      if (!skill.refusal.empty()) continue;
      add("skill", path, skill.name + ": " + skill.description, skill.sha256);
      add_executed(file);
    }
  }

  void add_commands() {
    for (const project::CommandFile& command : project::find_commands(project_.places())) {
      if (!command.of_project) continue;
      const MarkdownFile file = project::read_markdown(command.path);
      if (!file.refusal.empty()) continue;
      add("command", command.path, "/" + command.name + ": " + project::words_of(file).description,
          sha256_hex(file.text));
      add_executed(file);
    }
  }

  // A document in their folder is no agent.
  void add_agents() {
    for (const OwnFolder& folder : project::agent_folders(project_.places())) {
      if (!folder.of_project) continue;
      for (const auto& [below, path] : project::markdown_files(folder, project_.places()))
        if (const auto agent = subagents::definition_from(project::read_markdown(path));
            agent && agent->refusal.empty())
          add("agent", path, agent->name + ": " + agent->description, agent->sha256);
    }
  }

  // What other parts of skein ask about by its path.
  void add_servers() {
    for (const std::string& level : project_.places().levels) {
      const std::string real = project::followed(level + "/.mcp.json", project_.places());
      if (real.starts_with(project_.places().root() + "/"))
        add("MCP servers", real, "the servers start with skein and run as you, outside the sandbox",
            hash_of_program(real));
    }
  }

  FoundItems result() { return std::move(found_); }

 private:
  ProjectTrust& project_;
  FoundItems found_{};
  std::set<std::string> seen_{};
};

using permission::ClaudePermissions, permission::Rule;

constexpr std::size_t most_bytes = 1u << 20;

// Nothing: there is no such file.
std::optional<ClaudePermissions> permissions_in(const std::string& path,
                                                const std::string& workspace) {
  const std::optional<std::string> text = file_text(path, most_bytes);
  if (text ? text->empty() : errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  if (!text) return ClaudePermissions{.trouble = std::strerror(errno)};
  return permission::read_claude_permissions(*text, workspace, tools::tool_table());
}

// Hooks of the same file are trusted by its path alone.
std::string trust_name(const std::string& path) { return path + "#permissions"; }

Trust trust_in_permissions(ProjectTrust& project, const std::string& path,
                           const ClaudePermissions& permissions) {
  return project.record().of(trust_name(path), sha256_hex(permissions.loosening));
}

void report(config::Config& config, const std::string& path, const std::vector<std::string>& rules,
            const char* one, const char* many) {
  constexpr std::size_t most_named = 3;
  if (rules.empty()) return;
  std::vector<std::string> named;
  for (const std::string& each : rules)
    if (named.size() < most_named) named.push_back("`" + each + "`");
  config.notices.push_back(path + ": " + counted(rules.size(), one, many) + ": " + listed(named) +
                           (rules.size() > most_named ? ", …" : ""));
}

void add(std::vector<Rule>& to, std::vector<Rule> rules, Rule::Origin origin) {
  for (Rule& rule : rules) {
    rule.origin = origin;
    to.push_back(std::move(rule));
  }
}

void tighten(config::Config& config, const std::string& path, ClaudePermissions& permissions,
             Rule::Origin origin) {
  if (!permissions.trouble.empty())
    config.notices.push_back(
        path + " cannot be read, so its permissions are ignored: " + permissions.trouble);
  add(config.rules.deny, std::move(permissions.deny), origin);
  add(config.rules.ask, std::move(permissions.ask), origin);
  report(config, path, permissions.asked_instead,
         "permission rule cannot be used as written; skein asks about every call it could mean",
         "permission rules cannot be used as written; skein asks about every call they could mean");
}

void loosen(config::Config& config, const std::string& path, ClaudePermissions& permissions,
            Rule::Origin origin) {
  add(config.rules.allow, std::move(permissions.allow), origin);
  std::ranges::move(permissions.folders, std::back_inserter(config.add_folders));
  // A repository never switches all questions off.
  if (permissions.mode == permission::Mode::bypass && origin == Rule::Origin::workspace)
    permissions.not_allowed.push_back("defaultMode bypassPermissions");
  else if (permissions.mode)
    config.rules.mode = *permissions.mode;
  report(config, path, permissions.not_allowed, "setting is ignored", "settings are ignored");
}

void add_of_project(config::Config& config, ProjectTrust& project, const std::string& path) {
  auto permissions = permissions_in(path, project.places().workspace);
  if (!permissions) return;
  tighten(config, path, *permissions, Rule::Origin::workspace);
  if (permissions->loosening.empty()) return;
  const Trust trust = trust_in_permissions(project, path, *permissions);
  if (trust == Trust::given) loosen(config, path, *permissions, Rule::Origin::workspace);
  if (trust == Trust::unknown) config.untrusted.push_back("the permissions in " + path);
}

}  // namespace

std::string trust_folder() { return below(config_folder(), "trusted"); }

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

std::vector<std::string> trusted_workspaces() {
  std::vector<std::string> out;
  const Json all = read_trusted();
  for (const auto& [workspace, known] : all.items())
    if (bool_at(known, "trusted")) out.push_back(workspace);
  return out;
}

project::TrustRecord& ProjectTrust::record() {
  if (!record_) record_.emplace(trust_folder(), places_.root());
  return *record_;
}

std::vector<std::string> ProjectTrust::untrusted() const {
  std::vector<std::string> out;
  for (const auto& [kind, text] : untrusted_)
    if (!text.empty()) out.push_back(text);
  return out;
}

std::string untrusted_line(const std::vector<std::string>& untrusted) {
  return untrusted.empty()
             ? ""
             : "not loaded, because you have not trusted it yet: " + listed(untrusted) +
                   "; review it with `skein trust`";
}

bool is_due(const std::string& untrusted_line, const project::Places& places) {
  constexpr std::int64_t day_s = 24 * 60 * 60;
  const std::string file =
      below(below(state_folder(), "untrusted"), sha256_hex(places.root()).substr(0, 16));
  if (untrusted_line.empty()) {
    if (!file.empty()) unlink(file.c_str());  // what is found from now on is shown at once
    return false;
  }
  struct stat info {};
  if (!file.empty() && stat(file.c_str(), &info) == 0 && time(nullptr) - info.st_mtime < day_s &&
      read_small_file(file, 1u << 16) == untrusted_line)
    return false;
  if (!file.empty()) replace_small_file(file, untrusted_line);
  return true;
}

std::string hash_of_program(const std::string& path) {
  const Fd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  const auto bytes = fd ? read_all(fd.get(), most_program_bytes) : std::nullopt;
  return bytes ? sha256_hex(*bytes) : "";
}

FoundItems instructions_to_trust(ProjectTrust& project, const project::SkillLimits& look) {
  TrustFinder finder(project);
  finder.add_skills(look);
  finder.add_agents();
  return finder.result();
}

FoundItems all_to_trust(ProjectTrust& project) {
  TrustFinder finder(project);
  finder.add_skills({});
  finder.add_commands();
  finder.add_agents();
  finder.add_servers();
  return finder.result();
}

std::vector<TrustItem> executed_items(ProjectTrust& project, const MarkdownFile& file) {
  TrustFinder finder(project);
  finder.add_executed(file);
  return finder.result().items;
}

std::vector<std::string> claude_settings_files(const project::Places& places) {
  std::vector<std::string> out;
  if (places.workspace == places.home) return out;  // they are the user's own
  for (const char* name : {"/.claude/settings.json", "/.claude/settings.local.json"})
    if (std::string path = project::followed(places.workspace + name, places);
        path.starts_with(places.root() + "/"))
      out.push_back(std::move(path));
  return out;
}

void add_claude_permissions(config::Config& config, const std::string& workspace) {
  if (const std::string home = user_home(); !home.empty()) {
    const std::string path = home + "/.claude/settings.json";
    if (auto permissions = permissions_in(path, workspace.empty() ? home : workspace)) {
      tighten(config, path, *permissions, Rule::Origin::configuration);
      loosen(config, path, *permissions, Rule::Origin::configuration);
    }
  }
  if (workspace.empty()) return;
  ProjectTrust project(places_around(workspace));
  for (const std::string& path : claude_settings_files(project.places()))
    add_of_project(config, project, path);
}

std::vector<TrustItem> permissions_to_trust(ProjectTrust& project) {
  std::vector<TrustItem> out;
  for (const std::string& path : claude_settings_files(project.places()))
    if (const auto permissions = permissions_in(path, project.places().workspace);
        permissions && !permissions->loosening.empty())
      out.push_back({"permissions", trust_name(path), permissions->loosening,
                     sha256_hex(permissions->loosening),
                     trust_in_permissions(project, path, *permissions)});
  return out;
}

}  // namespace skein::app
