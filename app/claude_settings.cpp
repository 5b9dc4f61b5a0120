#include "app/claude_settings.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>

#include "app/home.h"
#include "core/permission/claude_rules.h"
#include "core/text/amounts.h"
#include "core/text/sha256.h"
#include "core/text/small_file.h"
#include "core/text/text.h"
#include "core/tools/tools.h"

namespace skein::app {

using permission::ClaudePermissions, permission::Rule;

namespace {

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

Trust trust_in_permissions(ProjectFiles& project, const std::string& path,
                           const ClaudePermissions& permissions) {
  return project.trust().of(trust_name(path), sha256_hex(permissions.loosening));
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
        path + " cannot be read, and its permissions do not count: " + permissions.trouble);
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
  report(config, path, permissions.not_allowed, "setting allows nothing here",
         "settings allow nothing here");
}

void add_of_project(config::Config& config, ProjectFiles& project, const std::string& path) {
  auto permissions = permissions_in(path, project.places().workspace);
  if (!permissions) return;
  tighten(config, path, *permissions, Rule::Origin::workspace);
  if (permissions->loosening.empty()) return;
  const Trust trust = trust_in_permissions(project, path, *permissions);
  if (trust == Trust::given) loosen(config, path, *permissions, Rule::Origin::workspace);
  if (trust == Trust::unknown)
    config.notices.push_back(path +
                             " is not trusted; what it allows does not count (`skein trust` shows "
                             "and allows it)");
}

}  // namespace

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
  ProjectFiles project(places_around(workspace));
  for (const std::string& path : claude_settings_files(project.places()))
    add_of_project(config, project, path);
}

std::vector<TrustItem> permissions_to_trust(ProjectFiles& project) {
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
