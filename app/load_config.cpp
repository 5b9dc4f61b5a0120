#include "app/load_config.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "app/claude_settings.h"
#include "app/config/file.h"
#include "app/home.h"
#include "app/project_files.h"
#include "app/trust.h"
#include "core/text/small_file.h"
#include "core/text/text.h"
#include "core/tools/tools.h"

namespace skein::app {

namespace {

namespace fs = std::filesystem;

// Reads and applies one file; what it says is left in `config`.
config::File apply_file(config::Config& config, catalog::Catalog& catalog, const std::string& path,
                        const std::string& text, config::Writer writer,
                        const SeeSetting& see = {}) {
  config::File file(path, text, writer);
  const bool own = writer == config::Writer::user;
  file.apply({config, catalog,
              own ? permission::Rule::Origin::configuration : permission::Rule::Origin::workspace,
              own ? "" : fs::path(path).parent_path().parent_path().string()},
             [&](const config::Item& item) {
               if (see) see(item, path);
             });
  for (std::string& trouble : file.troubles()) config.troubles.push_back(std::move(trouble));
  return file;
}

// The author of a checkout is not its user.
void apply_workspace_file(config::Config& config, catalog::Catalog& catalog,
                          const WorkspaceFile& theirs, Trust trust, const SeeSetting& see) {
  const bool trusted = trust == Trust::given;
  const config::File file =
      apply_file(config, catalog, theirs.path, theirs.text,
                 trusted ? config::Writer::trusted_workspace : config::Writer::workspace, see);
  if (!file.passed_over().empty())
    config.notices.push_back(theirs.path + " may only tighten what tools may do; passed over: " +
                             listed(file.passed_over()));
  if (!theirs.wants.empty() && trust == Trust::unknown)
    config.notices.push_back(theirs.path + " is not trusted; passed over: " + listed(theirs.wants) +
                             " (`skein trust` lets it set them)");
}

void add_flag_rules(std::vector<permission::Rule>& to, std::vector<permission::Rule> given) {
  for (permission::Rule& rule : given) {
    rule.origin = permission::Rule::Origin::flag;
    to.push_back(std::move(rule));
  }
}

// Plan mode is a promise that nothing is changed: it is left by name, not by the flag that allows
// everything.
void apply_mode(config::Config& config, std::optional<permission::Mode> mode) {
  using permission::Mode;
  if (mode == Mode::bypass && config.rules.mode == Mode::plan)
    config.troubles.push_back(
        "the configuration sets permission-mode = \"plan\", which -y (bypassPermissions) does not "
        "overrule; leave -y out, or choose --permission-mode default or acceptEdits");
  else if (mode)
    config.rules.mode = *mode;
}

void throw_troubles(const std::vector<std::string>& troubles) {
  if (troubles.empty()) return;
  const std::size_t more = troubles.size() - 1;
  throw Error(troubles.front() + (more == 0 ? ""
                                            : " (" + std::to_string(more) +
                                                  " more: `skein config check` lists them)"),
              ExitStatus::usage);
}

}  // namespace

std::string config_folder() { return skein_folder("XDG_CONFIG_HOME", ".config"); }

std::string user_config_file() {
  const std::string named = env("SKEIN_CONFIG"), folder = config_folder();
  if (named.empty()) return folder.empty() ? "" : folder + "/config.toml";
  if (!named.starts_with('/'))
    throw Error("SKEIN_CONFIG is " + named + ", which is not an absolute path", ExitStatus::usage);
  return named;
}

std::string writable_config_file() {
  std::string file = user_config_file();
  if (file.empty())
    throw Error(
        "no place for your configuration: set HOME, XDG_CONFIG_HOME or SKEIN_CONFIG to an absolute "
        "path",
        ExitStatus::usage);
  return file;
}

namespace {

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

}  // namespace

std::string workspace_config_file(const std::string& workspace) {
  return (fs::path(workspace) / ".skein/config.toml").string();
}

std::string configured_home() { return settings_of_home().home; }
bool configured_outbox() { return settings_of_home().home_outbox; }

std::optional<WorkspaceFile> workspace_file(const std::string& workspace) {
  const std::string path = workspace_config_file(workspace);
  const auto cannot_read = [&](const std::string& why) {
    return Error("cannot read " + path + ": " + why, ExitStatus::usage);
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
                                  catalog::Catalog& catalog, const SeeSetting& see) {
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
    config.troubles.push_back("SKEIN_CONFIG names " + own.string() + ", which is not there");
  if (const auto theirs = workspace.empty() ? std::nullopt : workspace_file(workspace))
    apply_workspace_file(config, catalog, *theirs, trust_in(workspace, theirs->text), see);

  if (!invocation.model.empty()) config.model = invocation.model;
  if (!invocation.thinking.empty()) config.thinking = invocation.thinking;
  if (invocation.max_turns > 0) config.max_turns = invocation.max_turns;
  apply_mode(config, permission::parse_mode(invocation.permission_mode));
  for (const std::string& text : invocation.allowed_tools)
    add_flag_rules(config.rules.allow, permission::parse_allow_rules(text, tools::tool_table()));
  for (const std::string& text : invocation.disallowed_tools)
    add_flag_rules(config.rules.deny, permission::parse_rules(text, tools::tool_table()));
  if (!invocation.system_prompt.empty()) config.system_prompt = invocation.system_prompt;
  if (!invocation.append_system_prompt.empty())
    config.append_system_prompt = invocation.append_system_prompt;
  if (invocation.no_instructions) config.max_instructions = 0;
  if (!invocation.color.empty()) config.color = invocation.color;
  config.screen_reader = config.screen_reader || invocation.screen_reader;
  config.quiet = config.quiet || invocation.quiet;
  return config;
}

config::Config load_config(const Invocation& invocation, const std::string& workspace,
                           catalog::Catalog& catalog) {
  config::Config config = load_config_anyway(invocation, workspace, catalog);
  throw_troubles(config.troubles);
  return config;
}

std::unique_ptr<const catalog::Catalog> configured_catalog(const Invocation& invocation) {
  auto catalog = std::make_unique<catalog::Catalog>();
  std::error_code gone;
  const bool here = !invocation.workspace.empty() || fs::exists(".", gone);
  load_config(invocation, here ? workspace_folder(invocation) : "", *catalog);
  return catalog;
}

}  // namespace skein::app
