#include "app/offers.h"

#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

#include "app/home.h"
#include "app/load_config.h"
#include "core/store/home/presence.h"
#include "core/text/log.h"
#include "core/tools/sandbox/sandbox.h"
#include "core/tools/workspace/tree_walk.h"

namespace skein::app {

using tools::sandbox::describe, tools::workspace::EntryKind, tools::workspace::Root;
using tools::workspace::FurtherRoots, tools::workspace::WalkControl, tools::workspace::Walked;

namespace {

// Adds what is below `root`, named as a prompt would name it.
void add_files(std::vector<std::string>& files, const Root& root, const std::string& before) {
  constexpr std::size_t most = 20'000;
  walk_tree(root, ".", root.locate("."), {}, [&](const Walked& found) {
    if (found.kind != EntryKind::folder) files.push_back(before + found.path);
    return files.size() < most ? WalkControl::go_on : WalkControl::stop;
  });
}

}  // namespace

void offer_program(session::Services& services, const ProgramParts& parts) {
  services.program = [parts] {
    session::ProgramFacts facts{.version = "skein " SKEIN_VERSION, .log = log_file()};
    facts.home = parts.invocation.no_session ? "in memory only" : home_shown(parts.invocation);
    std::error_code ignored;
    for (const std::string& file : {user_config_file(), workspace_config_file(parts.workspace)})
      if (std::filesystem::is_regular_file(file, ignored)) facts.settings.push_back(file);
    return facts;
  };
  services.configuration = [parts] {
    const config::Config& config = parts.config;
    std::ostringstream out;
    const std::string own = user_config_file();
    out << "configuration  " << (own.empty() ? "none" : own) << "\n"
        << "workspace      " << parts.workspace << "/.skein/config.toml\n"
        << "sessions       "
        << (parts.invocation.no_session ? "in memory only" : home_shown(parts.invocation)) << "\n"
        << "model          " << parts.model() << "\n"
        << "thinking       " << (config.thinking.empty() ? "off" : config.thinking) << "\n"
        << "calls a turn   " << config.max_turns << " at most\n"
        << "summarized at  " << config.compact_at << " of the window (0: only with /compact)\n";
    return out.str();
  };
  services.sandbox = [parts] {
    const config::Config& config = parts.config;
    const tools::sandbox::Sandbox sandbox =
        config.sandbox ? *config.sandbox : tools::sandbox::best_sandbox();
    return describe(sandbox) + "\nnetwork  " +
           tools::sandbox::describe_network(sandbox, config.sandbox_network) + "\nlimits   " +
           describe(config.command_limits());
  };
}

void offer_files(session::Services& services, const std::string& workspace,
                 std::shared_ptr<const tools::workspace::Withheld> withheld,
                 std::shared_ptr<FurtherRoots> further) {
  services.withheld = [withheld] { return withheld->described(); };
  services.secrets = std::string(tools::workspace::Withheld::secrets());
  services.files = [workspace, withheld, further] {
    std::vector<std::string> files;
    add_files(files, Root(workspace, {}, tools::workspace::best_resolver(), withheld), "");
    for (const FurtherRoots::Found& each : further->all())
      add_files(files, *each.root, each.root->path() + "/");
    return files;
  };
}

void offer_checkpoints(session::Services& services, checkpoints::FileKeeper& keeper,
                       store::SessionStore& store) {
  services.kept_files = [&keeper] { return &keeper.workspace(); };
  services.take_checkpoint = [&keeper, &store](Id session, const std::function<bool()>& stopped) {
    model::FileKeeper::Kept kept = keeper.take({.session = session, .stopped = stopped});
    std::vector<store::NewEntry> entries;
    for (model::Entry& entry : kept.entries) entries.push_back({std::move(entry)});
    if (!entries.empty()) store::value_or_throw(store.append_session_entries(session, entries));
    return std::move(kept.notices);
  };
}

void offer_presence(session::Services& services, const std::string& folder) {
  store::Result<std::unique_ptr<store::files::Files>> opened = store::files::files_beneath(folder);
  if (!opened) return;
  const std::shared_ptr<store::files::Files> home = *std::move(opened);
  services.keep_open = [home](Id session) { return store::home::keep_open(home, session); };
  services.open_by = [home](Id session) { return store::home::open_by(*home, session); };
}

}  // namespace skein::app
