// What the REPL's commands may ask of providers, keys and configuration.
#include <filesystem>
#include <memory>
#include <sstream>

#include "app/application.h"
#include "app/availability.h"
#include "app/call_cost.h"
#include "app/home.h"
#include "app/load_config.h"
#include "app/model_refresh.h"
#include "core/model/tokens.h"
#include "core/store/home/presence.h"
#include "core/text/log.h"
#include "core/tools/workspace/tree_walk.h"
#include "providers/catalog/ending.h"
#include "providers/key_check.h"

namespace skein::app {

using catalog::ProviderRow, tools::sandbox::describe, tools::sandbox::describe_network;
using tools::workspace::EntryKind, tools::workspace::Root, tools::workspace::walk_tree;
using tools::workspace::WalkControl, tools::workspace::Walked;

namespace {

// "1M window, answers up to 128k, $2 in, $10 out per million, …"
std::string details(const catalog::ModelRow& row) {
  std::string out = thousands(row.window) + " window";
  if (row.max_output > 0) out += " · answers up to " + thousands(row.max_output);
  if (row.prices.input) out += " · " + price_text(row.prices);
  if (const std::string tier = tier_text(row); !tier.empty()) out += " (" + tier + ")";
  return out;
}

session::ModelLine line_of(const AvailableModel& model) {
  const auto& [provider, name, row, usable] = model;
  session::ModelLine line{.name = provider + "/" + name,
                          .usable = usable.now,
                          .note = usable.why,
                          .price = short_price(row.prices),
                          .images = row.images,
                          .ends = catalog::ending_text(row, now_ms())};
  if (row.window == 0) return line;
  line.window = thousands(row.window);
  line.details = details(row);
  if (!row.thinks.empty()) line.thinks = "thinking: " + levels_text(row.thinks);
  return line;
}

std::vector<session::ModelLine> model_lines(const catalog::Catalog& catalog,
                                            const providers::Keyring& keys) {
  std::vector<session::ModelLine> lines;
  for (const AvailableModel& model : available_models(catalog, keys))
    lines.push_back(line_of(model));
  return lines;
}

std::string login_text(const catalog::Catalog& catalog, const providers::Keyring& keys) {
  const std::vector<providers::LocalServer> servers =
      providers::find_local_servers(catalog, model::Ports{});
  std::string out;
  for (const ProviderRow& row : catalog.providers()) {
    std::string name(row.name);
    name.resize(std::max<std::size_t>(name.size(), 18), ' ');
    const Usable usable = usable_now(row, keys, servers);
    const bool lacks_key = !usable.now && !row.local;
    out +=
        (usable.now ? "* " : "  ") + name + (lacks_key ? "no key yet: " : "") + usable.why + "\n";
  }
  return out +
         "A key is never stored. Give it in the environment before skein starts:\n"
         "  export ANTHROPIC_API_KEY=…\n"
         "or let a command print it, in the configuration (/config says where):\n"
         "  [providers.anthropic]\n"
         "  key-command = \"pass show anthropic\"\n"
         "/login PROVIDER checks whether its key is taken.\n";
}

constexpr std::size_t most_files = 20'000;

std::vector<std::string> files_below(
    const std::string& workspace,
    const std::shared_ptr<const tools::workspace::Withheld>& withheld) {
  const Root root(workspace, {}, tools::workspace::best_resolver(), withheld);
  std::vector<std::string> out;
  walk_tree(root, ".", root.locate("."), {}, [&](const Walked& found) {
    if (found.kind != EntryKind::folder) out.push_back(found.path);
    return out.size() < most_files ? WalkControl::go_on : WalkControl::stop;
  });
  return out;
}

// Of a home in a database only those on this machine know.
void take_presence(session::Services& services, const std::string& folder) {
  store::Result<std::unique_ptr<store::files::Files>> opened = store::files::files_beneath(folder);
  if (!opened) return;
  const std::shared_ptr<store::files::Files> home = *std::move(opened);
  services.keep_open = [home](Id session) { return store::home::keep_open(home, session); };
  services.open_by = [home](Id session) { return store::home::open_by(*home, session); };
}

}  // namespace

session::Services Application::services() {
  session::Services services;
  services.tools = &tools_;
  services.models = [this] { return model_lines(catalog_, keys_); };
  services.refresh_models = [this](const model::Ports& ports) {
    return refresh_models(catalog_, keys_, model_cache_, ports, Refresh::stale).changed;
  };
  services.model = [this](std::string_view name) { return catalog_.parse(name); };
  services.remarks = [this](const model::ModelRef& model) {
    std::vector<std::string> out = remarks_on(catalog_, model);
    const std::string end = catalog::ending_text(catalog_.find_model(model), now_ms());
    if (!end.empty() && catalog::ended_text(catalog_, model, now_ms()).empty())
      out.insert(out.begin(), model.model + " " + end);
    return out;
  };
  services.target = [this](const model::ModelRef& model) {
    return catalog_.target(model, config_.handover);
  };
  services.cost = [this](const std::string& model,
                         const model::Usage& usage) -> std::optional<session::Cost> {
    const std::optional<catalog::Cost> cost = catalog_.cost(model, usage);
    if (!cost) return std::nullopt;
    return session::Cost{cost->dollars, cost->at_least};
  };
  services.call_cost = [this]() -> session::Services::CallCost {
    return
        [cost_of = app::call_cost(catalog_)](
            const std::string& model, const model::Usage& usage) -> std::optional<session::Cost> {
          const std::optional<catalog::Cost> cost = cost_of(model, usage);
          if (!cost) return std::nullopt;
          return session::Cost{cost->dollars, cost->at_least};
        };
  };
  services.login = [this](std::string_view provider) {
    if (provider.empty()) return login_text(catalog_, keys_);
    const ProviderRow* row = catalog_.find_provider(provider);
    if (row == nullptr) throw Error("no provider is called " + std::string(provider));
    return providers::check_key(*row, keys_, model::Ports{.stop = &stop_asked()}) + "\n";
  };
  services.files = [this] {
    std::vector<std::string> files = files_below(workspace_, withheld_);
    add_further_files(files);
    return files;
  };
  services.instructions = [this] {
    read_changed();
    std::vector<session::InstructionLine> lines;
    const auto add = [&](const instructions::Document& each) {
      lines.push_back({each.file, each.shown, each.why, model::tokens_of(each.text)});
    };
    for (const instructions::Document& each : instructions_.documents()) add(each);
    for (const instructions::Document& each : instructions_.path_rules()) add(each);
    return lines;
  };
  services.remember = [this](const std::string& text, bool everywhere, Id session,
                             std::optional<Id> entry) {
    remember(text, everywhere ? memory::Scope::everywhere : memory::Scope::project, session, entry);
  };
  services.memory = [this] {
    std::vector<session::MemoryLine> lines;
    for (const auto& [scope, note] : memory_.notes())
      lines.push_back(
          {note.text, note.session, note.entry, note.date, scope == memory::Scope::everywhere});
    return lines;
  };
  services.memory_file = [this](bool everywhere) {
    return memory_.file(everywhere ? memory::Scope::everywhere : memory::Scope::project).path();
  };
  services.skills = [this] { return project_.skills().all(); };
  services.skill_remarks = [this] { return project_.skills().remarks(); };
  services.catch_up = [this] { return take_skills(); };
  services.own_commands = [this] { return project_.commands(); };
  services.render = [this](std::string_view name, std::string_view arguments,
                           const session::CommandPorts& ports) {
    return rendered(name, arguments, ports);
  };
  services.program = [this] {
    session::ProgramFacts facts{.version = "skein " SKEIN_VERSION, .log = log_file()};
    facts.home = invocation_.no_session ? "in memory only" : home_shown(invocation_);
    std::error_code ignored;
    for (const std::string& file : {user_config_file(), workspace_config_file(workspace_)})
      if (std::filesystem::is_regular_file(file, ignored)) facts.settings.push_back(file);
    return facts;
  };
  services.configuration = [this] {
    std::ostringstream out;
    out << "configuration  " << config_folder() << "/config.toml\n"
        << "workspace      " << workspace_ << "/.skein/config.toml\n"
        << "sessions       "
        << (invocation_.no_session ? "in memory only" : home_shown(invocation_)) << "\n"
        << "model          " << (config_.model.empty() ? default_model() : config_.model) << "\n"
        << "thinking       " << (config_.thinking.empty() ? "off" : config_.thinking) << "\n"
        << "calls a turn   " << config_.max_turns << " at most\n"
        << "summarized at  " << config_.compact_at << " of the window (0: only with /compact)\n";
    return out.str();
  };
  services.grant = [this](Id session, const std::string& rule) {
    return grants_.give(session, rule);
  };
  services.take_back = [this](Id session, const std::string& rule) {
    return grants_.take_back(session, rule);
  };
  services.grant_here = [this](const std::string& rule) { return rules_here_.give(rule); };
  services.take_back_here = [this](const std::string& rule) { return rules_here_.take_back(rule); };
  services.withheld = [this] { return withheld_->described(); };
  services.secrets = std::string(tools::workspace::Withheld::secrets());
  if (!invocation_.no_session) {
    services.kept_files = [this] { return &file_keeper_.workspace(); };
    services.take_checkpoint = [this](Id session) {
      model::FileKeeper::Kept kept = file_keeper_.take({.session = session});
      std::vector<store::NewEntry> entries;
      for (model::Entry& entry : kept.entries) entries.push_back({std::move(entry)});
      if (!entries.empty()) store::value_or_throw(store_.append_session_entries(session, entries));
      return std::move(kept.notices);
    };
  }
  if (!invocation_.no_session) take_presence(services, home_folder(invocation_));
  services.typed = [this](Id session, std::string_view text) { note_typed(session, text); };
  using Follow = session::Services::FilesFollow;
  services.files_follow = config_.files_follow == "always"  ? Follow::always
                          : config_.files_follow == "never" ? Follow::never
                                                            : Follow::ask;
  take_services_of_servers(services);
  take_services_of_agents(services);
  take_services_of_jobs(services);
  take_services_of_folders(services);
  services.hooks = [this] { return hook_lines(); };
  services.sandbox = [this] {
    return describe(sandbox()) + "\nnetwork  " +
           describe_network(sandbox(), config_.sandbox_network) + "\nlimits   " +
           describe(config_.command_limits());
  };
  return services;
}

}  // namespace skein::app
