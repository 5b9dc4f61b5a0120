#include "app/setup/load_config.h"

#include "app/trust/trust.h"
#include "core/permission/claude_rules.h"
#include "core/text/text.h"
#include "core/tools/tools.h"

namespace skein::app {

namespace {

namespace fs = std::filesystem;

// Reads and applies one file; what it says is left in `config`.
config::File apply_file(config::Config& config, catalog::Catalog& catalog, const std::string& path,
                        const std::string& text, config::Writer writer,
                        const config::File::See& see = {}) {
  config::File file(path, text, writer);
  const bool own = writer == config::Writer::user;
  file.apply({config, catalog,
              own ? permission::Rule::Origin::configuration : permission::Rule::Origin::workspace,
              own ? "" : fs::path(path).parent_path().parent_path().string()},
             see);
  for (std::string& trouble : file.troubles()) config.troubles.push_back(std::move(trouble));
  for (const std::string& notice : file.notices()) config.notices.push_back(notice);
  return file;
}

// The author of a checkout is not its user.
void apply_workspace_file(config::Config& config, catalog::Catalog& catalog,
                          const WorkspaceFile& theirs, Trust trust, const config::File::See& see) {
  const bool trusted = trust == Trust::given;
  const config::File file =
      apply_file(config, catalog, theirs.path, theirs.text,
                 trusted ? config::Writer::trusted_workspace : config::Writer::workspace, see);
  if (!file.passed_over().empty())
    config.notices.push_back(
        theirs.path + " may only restrict tools further; ignored: " + listed(file.passed_over()));
  if (!theirs.wants.empty() && trust == Trust::unknown)
    config.untrusted.push_back(listed(theirs.wants) + " in " + theirs.path);
}

// Rules of a program that drives skein. One that forbids must be understood exactly.
void apply_client_rules(config::Config& config, const JsonText& permissions,
                        const std::string& workspace) {
  if (permissions.empty()) return;
  permission::ClaudePermissions read =
      permission::read_claude_permissions(permissions, workspace, tools::tool_table());
  for (const std::string& rule : read.asked_instead)
    config.troubles.push_back("the rule " + rule + " of --disallowedTools is not understood");
  if (!read.trouble.empty()) config.troubles.push_back("the rules given: " + read.trouble);
  if (!read.not_allowed.empty())
    config.notices.push_back("not allowed, because skein does not understand it: " +
                             listed(read.not_allowed));
  const auto add = [](std::vector<permission::Rule>& to, std::vector<permission::Rule>& given) {
    for (permission::Rule& rule : given) {
      rule.origin = permission::Rule::Origin::flag;
      to.push_back(std::move(rule));
    }
  };
  add(config.rules.allow, read.allow);
  add(config.rules.deny, read.deny);
  add(config.rules.ask, read.ask);
}

// Plan mode is a promise that nothing is changed: it is left by name, not by the flag that allows
// everything.
void apply_mode(config::Config& config, std::optional<permission::Mode> mode) {
  using permission::Mode;
  if (mode == Mode::bypass && config.rules.mode == Mode::plan)
    config.troubles.push_back(
        "the configuration sets permission-mode = \"plan\", which -y (bypassPermissions) does not "
        "override; leave out -y, or choose --permission-mode default or acceptEdits");
  else if (mode)
    config.rules.mode = *mode;
}

void throw_troubles(const std::vector<std::string>& troubles) {
  if (troubles.empty()) return;
  const std::size_t more = troubles.size() - 1;
  throw UsageError(
      troubles.front() +
      (more == 0 ? "" : " (" + std::to_string(more) + " more: `skein config check` lists them)"));
}

}  // namespace

config::Config settings_of_home() {
  config::Config config;
  const std::optional<std::string> text = file_text(user_config_file());
  // Most have no such key, and every start comes by here.
  if (!text || text->find("home") == std::string::npos) return config;
  catalog::Catalog catalog;
  config::File file(user_config_file(), *text, config::Writer::user);
  file.apply({config, catalog});
  return config;
}

std::optional<WorkspaceFile> workspace_file(const std::string& workspace) {
  const std::string path = workspace_config_file(workspace);
  const auto cannot_read = [&](const std::string& why) {
    return UsageError("cannot read " + path + ": " + why);
  };
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  const std::string real = project::followed(path, places_around(workspace));
  if (real.empty()) throw cannot_read("a link leads out of the project; copy the file instead");
  const std::optional<std::string> text = file_text(real, most_file_bytes, Links::refused);
  if (!text) throw cannot_read(std::strerror(errno));
  WorkspaceFile file{path, *text};
  file.wants = config::File(file.path, file.text, config::Writer::workspace).wants();
  return file;
}

std::vector<std::string> troubles_once_trusted(const Invocation& invocation,
                                               const WorkspaceFile& file) {
  catalog::Catalog catalog;
  config::Config config = load_config_anyway(invocation, "", catalog);
  apply_file(config, catalog, file.path, file.text, config::Writer::trusted_workspace);
  return config.troubles;
}

void check_before_trust(const Invocation& invocation, const WorkspaceFile& file) {
  throw_troubles(troubles_once_trusted(invocation, file));
}

config::Config load_config_anyway(const Invocation& invocation, const std::string& workspace,
                                  catalog::Catalog& catalog, const config::File::See& see) {
  config::Config config;
  add_claude_permissions(config, workspace);  // first, so that skein's own files have the last word
  const fs::path own = user_config_file();
  std::error_code ignored;
  const bool there = fs::exists(own, ignored);
  if (const auto text = there ? file_text(own.string()) : std::nullopt)
    apply_file(config, catalog, own.string(), *text, config::Writer::user, see);
  else if (there)
    config.troubles.push_back("cannot read " + own.string() + ": " + std::strerror(errno));
  else if (!env("SKEIN_CONFIG").empty())
    config.troubles.push_back("SKEIN_CONFIG is " + own.string() + ", which does not exist");
  if (const auto theirs = workspace.empty() ? std::nullopt : workspace_file(workspace))
    apply_workspace_file(config, catalog, *theirs, trust_in(workspace, theirs->text), see);

  config::Target flags{config, catalog, permission::Rule::Origin::flag};
  flags.by_client = invocation.is_driven();
  for (const auto& [item, origin] : flag_settings(invocation)) {
    bool applied = true;
    if (item.key->name == "permission-mode")
      apply_mode(config, permission::parse_mode(item.text));
    else if (item.key->name == "turn-time")
      applied = config::set_limit(flags, config.budget.turn_ms,
                                  budget::parse_time_limit(origin.place, item.text));
    else if (item.key->name != "home")  // which chosen_home() is about
      applied = item.key->apply(flags, item);
    if (!applied)
      config.notices.push_back(origin.place + " was ignored: the user has set a lower limit");
  }
  if (!invocation.fallback_model.empty()) config.fallback[""] = {invocation.fallback_model};
  apply_client_rules(config, invocation.client_flags.permissions, workspace);
  config.instructions = !invocation.no_instructions;
  return config;
}

std::vector<GivenSetting> flag_settings(const Invocation& invocation) {
  using Giver = SettingOrigin::Giver;
  std::vector<GivenSetting> out;
  const auto item = [&](std::string_view key, std::string_view table = {},
                        std::string_view flag = {}) -> config::Item& {
    out.push_back({config::Item{.key = config::find_key(table, key)},
                   {Giver::flag, "--" + std::string(flag.empty() ? key : flag)}});
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
  if (invocation.max_turns > 0) item("max-turns").number = invocation.max_turns;
  if (invocation.max_usd) item("turn-usd", "budget", "max-usd").number = *invocation.max_usd;
  if (!invocation.time.empty()) item("turn-time", "budget", "time").text = invocation.time;
  if (!invocation.allowed_tools.empty()) item("allowed-tools").list = invocation.allowed_tools;
  if (!invocation.disallowed_tools.empty())
    item("disallowed-tools").list = invocation.disallowed_tools;
  if (invocation.screen_reader) item("screen-reader").truth = true;
  if (invocation.quiet) item("quiet").truth = true;
  return out;
}

config::Config load_config(const Invocation& invocation, const std::string& workspace,
                           catalog::Catalog& catalog) {
  config::Config config = load_config_anyway(invocation, workspace, catalog);
  throw_troubles(config.troubles);
  return config;
}

config::Config load_config(const Invocation& invocation, const std::string& workspace) {
  catalog::Catalog catalog;
  return load_config(invocation, workspace, catalog);
}

std::unique_ptr<const catalog::Catalog> configured_catalog(const Invocation& invocation) {
  auto catalog = std::make_unique<catalog::Catalog>();
  std::error_code gone;
  const bool here = !invocation.workspace.empty() || fs::exists(".", gone);
  load_config(invocation, here ? workspace_folder(invocation) : "", *catalog);
  return catalog;
}

}  // namespace skein::app
