#include "app/setup/user_hooks.h"

#include "core/permission/shell_words.h"
#include "core/process/environment.h"
#include "core/project/executed_files.h"
#include "core/text/checksum.h"
#include "core/text/text.h"

namespace skein::app {

namespace {

constexpr std::size_t most_hook_bytes = 1u << 20;  // of a file that holds hooks
constexpr int deepest_circle = 3;  // hooks that run skein, whose hooks run skein, …
constexpr const char* depth_variable = "SKEIN_HOOK_DEPTH";

int hook_depth() {
  const std::string text = env(depth_variable);
  int depth = 0;
  std::from_chars(text.data(), text.data() + text.size(), depth);
  return depth;
}

// A file as Claude Code has it, and where it leads; nothing: there is none, or it leads out of the
// project.
struct SettingsFile {
  std::string path{};
  hooks::ReadHooks read{};
  std::string sha256{};  // of its hooks alone: the rest of the file is none of our business
};

SettingsFile claude_file(const std::string& path, bool of_project) {
  const std::optional<std::string> text = file_text(path, most_hook_bytes);
  if (text ? text->empty() : errno == ENOENT || errno == ENOTDIR) return {};
  if (!text) return {path, {.trouble = std::strerror(errno)}};
  SettingsFile file{path, hooks::read_claude_hooks(*text, path, of_project)};
  if (!file.read.text.empty()) file.sha256 = sha256_hex(file.read.text);
  return file;
}

std::vector<SettingsFile> claude_files_of(const ProjectFiles& project) {
  std::vector<SettingsFile> out;
  for (const std::string& path : claude_settings_files(project.places()))
    out.push_back(claude_file(path, true));
  std::erase_if(out, [](const SettingsFile& file) { return file.path.empty(); });
  return out;
}

// What it runs of the project.
project::ExecutedFiles executed_by(const hooks::HookDefinition& definition,
                                   const project::Places& places) {
  std::string command = definition.command;
  if (definition.words) {
    if (command.starts_with("~/")) command.replace(0, 1, places.home);
    command = permission::shell_quoted(command);
    for (const std::string& word : *definition.words)
      command += " " + permission::shell_quoted(word);
  }
  const auto author = definition.of_project ? project::Author::project : project::Author::user;
  return project::executed_files(command, places, author);
}

// Why these files must not be run; empty: the user trusts them in their current form.
std::string distrust(const std::vector<std::string>& files, ProjectFiles& project) {
  for (const std::string& file : files) {
    const Trust trust = project.trust().of(file, hash_of_program(file));
    if (trust == Trust::given) continue;
    return "it runs " + file + ", which " +
           (trust == Trust::refused       ? "you do not trust"
            : project.trust().knows(file) ? "has changed since you trusted it"
                                          : "you have not trusted") +
           " (review it with `skein trust`)";
  }
  return {};
}

// Everything that decides what is run. A file with a second name can be changed by that name, so it
// is listed once more, as a path that every command can change.
std::vector<std::string> decisive_paths(const project::ExecutedFiles& found) {
  std::vector<std::string> out = found.files;
  out.insert(out.end(), found.names.begin(), found.names.end());
  for (const std::string& file : found.files) {
    struct stat info {};
    if (stat(file.c_str(), &info) == 0 && info.st_nlink > 1) out.push_back(file + "/");
  }
  return out;
}

std::string unprotected(const std::vector<std::string>& paths, int error,
                        const project::Places& places) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> named;
  for (const std::string& path : paths)
    if (named.size() < most_named)
      named.push_back(path.starts_with(places.workspace + "/")
                          ? path.substr(places.workspace.size() + 1)
                          : path);
  if (error == EAGAIN)
    return "a running command could replace what the hook runs (" + listed(named) +
           "); the hook does not run until that command has ended";
  return "skein cannot prevent commands from replacing what the hook runs (" + listed(named) +
         "): " + std::strerror(error);
}

std::vector<hooks::HookDefinition> of_config(const config::Config& config) {
  std::vector<hooks::HookDefinition> out;
  for (const config::ConfiguredHook& each : config.hooks) out.push_back(each.definition);
  return out;
}

void add(std::vector<hooks::HookDefinition>& to, std::vector<hooks::HookDefinition> more) {
  std::ranges::move(more, std::back_inserter(to));
}

// hooks.json next to the configuration, and what Claude Code has for the user. The first is written
// for skein: a hook in it that was to refuse something must not be left out in silence.
std::vector<hooks::HookDefinition> of_user(const config::Config& config,
                                           const project::Places& places,
                                           std::vector<std::string>& notices) {
  std::vector<SettingsFile> files;
  if (!places.config.empty()) files.push_back(claude_file(places.config + "/hooks.json", false));
  if (!files.empty() && !files.front().read.trouble.empty())
    throw UsageError(files.front().path + ": " + files.front().read.trouble +
                     " (--no-hooks starts without hooks)");
  if (config.claude_hooks && !places.home.empty())
    files.push_back(claude_file(places.home + "/.claude/settings.json", false));
  std::vector<hooks::HookDefinition> out;
  for (SettingsFile& file : files) {
    if (!file.read.trouble.empty())
      notices.push_back(file.path + ": hooks ignored: " + file.read.trouble);
    add(out, std::move(file.read.definitions));
    std::ranges::move(file.read.remarks, std::back_inserter(notices));
  }
  return out;
}

// "PreToolUse bash: ./check.sh"
std::string hook_words(const hooks::HookDefinition& definition) {
  return std::string(hooks::name(definition.event)) +
         (definition.matcher.empty() ? "" : " " + definition.matcher) + ": " + shown(definition);
}

// Whether a program may be run: not if it would run a file of the project that the user does not
// trust in its current form. Keeps commands from replacing those files for as long as the hook
// runs.
hooks::Clearance clearance_for(const hooks::HookDefinition& definition, ProjectFiles& project,
                               const sandbox::FileClaims& claims) {
  const project::Places& places = project.places();
  const std::vector<std::string> paths = decisive_paths(executed_by(definition, places));
  if (paths.empty()) return {};
  sandbox::FileClaims::Claim claim = claims.by_hook(paths);
  // From here on no command can change anything.
  const project::ExecutedFiles found = executed_by(definition, places);
  if (claim.error == 0 && decisive_paths(found) != paths) claim.error = EAGAIN;
  if (claim.error != 0) return {.refusal = unprotected(paths, claim.error, places)};
  return {.refusal = distrust(found.files, project), .hold = std::move(claim.held)};
}

}  // namespace

ConfiguredHooks configured_hooks(const Invocation& invocation, const config::Config& config,
                                 ProjectFiles& project) {
  ConfiguredHooks out;
  if (invocation.no_hooks) return out;
  std::vector<hooks::HookDefinition> of_workspace;
  for (hooks::HookDefinition& each : of_config(config))
    (each.of_project ? of_workspace : out.definitions).push_back(std::move(each));
  add(out.definitions, of_user(config, project.places(), out.notices));
  add(out.definitions, std::move(of_workspace));
  if (config.claude_hooks)
    for (SettingsFile& file : claude_files_of(project)) {
      if (file.read.definitions.empty()) continue;
      const Trust trust = project.trust().of(file.path, file.sha256);
      std::ranges::move(file.read.remarks, std::back_inserter(out.notices));
      if (trust == Trust::unknown)
        project.project().note_untrusted(file.path, "the hooks in " + file.path);
      add(trust == Trust::given ? out.definitions : out.untrusted,
          std::move(file.read.definitions));
    }
  if (!out.definitions.empty() && hook_depth() > deepest_circle)
    throw UsageError("hooks keep starting skein in a loop; --no-hooks starts it without them");
  return out;
}

std::string hook_report(const hooks::HookDefinition& definition, const project::Places& places) {
  const project::ExecutedFiles found = executed_by(definition, places);
  std::string out = hook_words(definition);
  for (const std::string& file : found.files) out += "\n    runs " + file;
  if (!found.unseen.empty())
    out += "\n    skein cannot determine which files " + listed(found.unseen) +
           (found.unseen.size() == 1 ? " runs" : " run") +
           ". While this hook is active, every change in the project asks first (not with -y).";
  return out;
}

std::vector<hooks::HookDefinition> hooks_in(const WorkspaceFile& file,
                                            const std::string& workspace) {
  config::Config config;
  catalog::Catalog catalog;
  config::File read(file.path, file.text, config::Writer::trusted_workspace);
  read.apply({config, catalog, permission::Rule::Origin::workspace, workspace});
  return of_config(config);
}

std::vector<TrustItem> hooks_to_trust(const config::Config& config, ProjectFiles& project) {
  std::vector<TrustItem> out;
  std::vector<std::string> ignored;
  const project::Places& places = project.places();
  const auto add_item = [&](std::string kind, const std::string& path, std::string what,
                            const std::string& sha256) {
    if (sha256.empty() || std::ranges::find(out, path, &TrustItem::path) != out.end()) return;
    out.push_back(
        {std::move(kind), path, std::move(what), sha256, project.trust().of(path, sha256)});
  };
  std::vector<hooks::HookDefinition> all = of_user(config, places, ignored);
  for (hooks::HookDefinition& each : of_config(config))
    if (!each.of_project) all.push_back(std::move(each));
  if (const auto file = workspace_file(places.workspace);
      file && trust_in(places.workspace, file->text) != Trust::refused)
    add(all, hooks_in(*file, places.workspace));
  if (config.claude_hooks)
    for (SettingsFile& file : claude_files_of(project)) {
      std::string what;
      for (const hooks::HookDefinition& each : file.read.definitions)
        what += (what.empty() ? "" : "\n  ") + hook_report(each, places);
      if (!what.empty()) add_item("hooks", file.path, what, file.sha256);
      add(all, std::move(file.read.definitions));
    }
  for (const hooks::HookDefinition& each : all)
    for (const std::string& path : executed_by(each, places).files)
      add_item("file that a hook runs", path, hook_words(each), hash_of_program(path));
  return out;
}

std::vector<std::string> hook_environment(const hooks::HookDefinition& definition,
                                          const std::vector<std::string>& secrets) {
  const std::vector<std::string> own = process::own_environment();
  std::vector<std::string> out;
  if (definition.of_project) {
    out = process::command_environment(own, "");
    for (const std::string& each : own)
      if (each.starts_with("TMPDIR=") || each.starts_with("XDG_")) out.push_back(each);
  } else {
    // The same key may be there by another name.
    std::ranges::copy_if(own, std::back_inserter(out), [&](const std::string& each) {
      return providers::mask_secrets(each, secrets) == each;
    });
  }
  std::erase_if(out, [](const std::string& each) {
    return each.starts_with(std::string(depth_variable) + "=");
  });
  out.push_back(std::string(depth_variable) + "=" + std::to_string(hook_depth() + 1));
  return out;
}

UserHooks::UserHooks(Parts parts) : parts_(std::move(parts)) {
  ConfiguredHooks found = configured_hooks(parts_.invocation, parts_.config, parts_.project);
  notices_ = std::move(found.notices);
  untrusted_ = std::move(found.untrusted);
  note_unseen(found.definitions);
  add(found.definitions, std::move(parts_.more));
  // A sub-agent's calls are judged like all others, and its end has a separate event; its
  // session is not one of the user's.
  if (parts_.for_sub_agent)
    std::erase_if(found.definitions, [](const hooks::HookDefinition& each) {
      return !hooks::facts_about(each.event).of_tool && each.event != hooks::Event::subagent_stop;
    });
  if (found.definitions.empty()) return;
  hooks_ = std::make_unique<hooks::Hooks>(
      hooks::Hooks::Parts{.definitions = std::move(found.definitions),
                          .tools = &parts_.tools,
                          .workspace = workspace(),
                          .clearance =
                              [this](const hooks::HookDefinition& definition) {
                                return clearance_for(definition, parts_.project, parts_.claims);
                              },
                          .environment =
                              [this](const hooks::HookDefinition& definition) {
                                return hook_environment(definition, parts_.keys.secrets());
                              }});
}

void UserHooks::note_unseen(const std::vector<hooks::HookDefinition>& definitions) {
  const auto unseen = std::ranges::find_if(definitions, [this](const hooks::HookDefinition& each) {
    return !executed_by(each, parts_.project.places()).unseen.empty();
  });
  if (unseen == definitions.end()) return;
  unseen_ = shown(*unseen);
  if (parts_.config.rules.mode == permission::Mode::bypass)
    notices_.push_back("the hook `" + unseen_ +
                       "` may run any file of this project; with -y, skein does not ask before "
                       "such a file is changed");
}

std::vector<hooks::Hooks::Line> UserHooks::lines() const {
  std::vector<hooks::Hooks::Line> out;
  const auto add_untrusted = [&](const hooks::HookDefinition& each) {
    out.push_back({.definition = each,
                   .refusal = "not trusted, so it does not run (review it with `skein trust`)"});
  };
  ProjectFiles now(parts_.project.places());  // trusted or not by now
  if (hooks_)
    for (const hooks::Hooks::Line& line : hooks_->lines())
      out.emplace_back(line).refusal =
          distrust(executed_by(line.definition, now.places()).files, now);
  for (const hooks::HookDefinition& each : untrusted_) add_untrusted(each);
  // A configuration that is not trusted: it is not read for anything else.
  const std::optional<WorkspaceFile> file = workspace_file(workspace());
  if (file && !parts_.invocation.no_hooks && trust_in(workspace(), file->text) != Trust::given)
    for (const hooks::HookDefinition& each : hooks_in(*file, workspace())) add_untrusted(each);
  return out;
}

}  // namespace skein::app
