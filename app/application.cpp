#include "app/application.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <utility>

#include "app/application_worker.h"
#include "app/availability.h"
#include "app/configured_hooks.h"
#include "app/home.h"
#include "app/interrupted_commands.h"
#include "app/mcp_servers.h"
#include "app/offers.h"
#include "app/recall.h"
#include "app/signals.h"
#include "app/trust.h"
#include "core/store/home/file_backend.h"
#include "core/text/amounts.h"
#include "core/text/log.h"
#include "core/text/text.h"
#include "core/tools/tools.h"
#include "core/tools/workspace/unfinished.h"
#include "repl/layout/sanitize.h"

namespace skein::app {

using agent::Agent, agent::Conversation, agent::ModelLimits, model::ModelRef, model::Provider;
using model::ThinkingLevel, store::SessionStore, tools::sandbox::best_sandbox;
using tools::sandbox::describe, tools::sandbox::Sandbox;

namespace {

SessionStore store_for(const Invocation& invocation) {
  if (!invocation.no_session) return open_store(invocation);
  return SessionStore(std::make_unique<store::home::FileBackend>(store::files::memory_files()));
}

// What the model is kept from in a workspace, by its files and the user's.
tools::workspace::Withheld::Settings withheld_settings(const project::Places& places,
                                                       const config::Config& config) {
  return {.workspace = places.workspace,
          .project = places.root(),
          .own_file = places.config.empty() ? "" : places.config + "/ignore",
          .names = config.ignore_files};
}

// Where another skein finds jobs; empty: nowhere.
std::string jobs_folder(const Invocation& invocation) {
  const std::string state = state_folder();
  return state.empty() || invocation.no_session ? "" : state + "/jobs";
}

// Where commands and hooks of all sessions find each other.
std::string claims_file() {
  const std::string state = state_folder();
  return state.empty() ? "" : state + "/claims";
}

// A few lines at most: /skills shows all of them.
std::string first_lines(const std::vector<std::string>& remarks) {
  constexpr std::size_t most = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, remarks.size()); ++i)
    out += (i == 0 ? "" : "\n") + remarks[i];
  if (remarks.size() > most) out += "\nthere is more of this kind: /skills";
  return out;
}

}  // namespace

Application::Application(const Invocation& invocation, const project::Places& places,
                         const Helper* helper)
    : invocation_(invocation),
      project_(places, ProjectFiles::Skills::load),
      models_(invocation, config_),
      config_(load_config(invocation, workspace(), models_.catalog())),
      store_(store_for(invocation)),
      withheld_(
          std::make_shared<const tools::workspace::Withheld>(withheld_settings(places, config_))),
      grants_(grants_file(invocation), workspace()),
      rules_here_(rules_file(invocation), workspace()),
      file_keeper_([this] {
        return std::make_unique<checkpoints::WorkspaceFiles>(
            store_, contents_of(invocation_, store_), workspace(), own_places(invocation_),
            sandbox(), looks_file(invocation_, workspace()), checkpoints::ScanLimits{},
            unfinished_folder());
      }),
      briefing_({.config = config_,
                 .project = project_,
                 .agents = agents_,
                 .role = role_,
                 .withheld = withheld_,
                 .memory_folder = memory_folder(invocation),
                 .clean = [this](std::string text) { return models_.clean(std::move(text)); },
                 .window = [this] { return models_.first_window(); }}),
      jobs_({.news = news_,
             .folder = jobs_folder(invocation),
             .clean = [this](std::string text) { return models_.clean(std::move(text)); },
             .wake = config_.jobs_wake}),
      web_(config_),
      agents_({.invocation = invocation,
               .config = config_,
               .project = project_,
               .store = store_,
               .catalog = models_.catalog(),
               .news = news_,
               .hire = [this](const subagents::Order& order) { return hire(order); }}) {
  models_.use_cache();
  Servers servers;
  if (helper != nullptr) {
    role_ = helper->role;
    models_.keys() = helper->keys;
    for_another_ = true;
  } else {
    servers = configured_servers(invocation, config_, project_, catalog());
    models_.keys().take_environment(catalog().key_variables());
    if (!invocation.agent.empty()) choose_role();
  }
  if (role_) config_.system_prompt = role_->instructions;
  for (const std::string& name : {config_.model, config_.plan_model})
    if (!name.empty()) catalog().parse(name);  // before anything is made
  if (!invocation.base_url.empty())
    models_.catalog().move_provider(catalog().parse(models_.first_name()).provider,
                                    invocation.base_url);
  project_.skills().withhold(withheld_->settings());
  folders_.emplace(FurtherFolders::Parts{.store = store_,
                                         .grants = grants_,
                                         .roots = {.workspace = workspace(),
                                                   .forbidden = own_places(invocation),
                                                   .withheld = withheld_->settings(),
                                                   .unfinished = unfinished_folder()}},
                   for_another_ ? std::vector<std::string>{} : invocation.add_dirs,
                   for_another_ ? std::vector<std::string>{} : config_.add_folders);
  make_tools();
  if (helper != nullptr) std::ranges::copy(helper->borrowed, std::back_inserter(tools_));
  keep_to_role(tools_);
  own_tools_ = tools_.size();
  if (helper != nullptr || invocation.print || project_.skills().are_read()) take_skills();
  hooks_.emplace(UserHooks::Parts{.invocation = invocation,
                                  .config = config_,
                                  .project = project_,
                                  .tools = tools_,
                                  .keys = models_.keys(),
                                  .claims = tools::sandbox::FileClaims(claims_file()),
                                  .for_sub_agent = for_another_});
  config_.rules.unseen_hook = hooks_->unseen();
  notices_ = tools::workspace::Unfinished::clear(unfinished_folder());
  std::ranges::copy(folders_->not_opened(), std::back_inserter(notices_));
  std::ranges::copy(servers.notices, std::back_inserter(notices_));
  std::ranges::copy(agents_.remarks(), std::back_inserter(notices_));
  std::ranges::copy(hooks_->notices(), std::back_inserter(notices_));
  make_agent();
  if (!servers.entries.empty())
    servers_.start(servers.entries, {.workspace = workspace(),
                                     .for_script = invocation.print,
                                     .window = [this] { return models_.first_window(); }});
}

void Application::make_tools() {
  const std::string state = state_folder();
  for (const std::string& path : project_.trust().paths())
    if (path.starts_with(workspace() + "/"))
      config_.rules.guarded.push_back(path.substr(workspace().size() + 1));
  tools_ = tools::standard_tools({.root = workspace(),
                                  .forbidden = own_places(invocation_),
                                  .sandbox = config_.sandbox,
                                  .network = config_.sandbox_network,
                                  .command_limits = config_.command_limits(),
                                  .guarded =
                                      [root = project_.places().root()] {
                                        return project::TrustRecord(trust_folder(), root).paths();
                                      },
                                  .claims = claims_file(),
                                  .withheld = withheld_,
                                  .readable = project_.skills().readable(),
                                  .further = folders_->roots(),
                                  .unfinished = unfinished_folder(),
                                  .quarantine = state.empty() ? "" : state + "/quarantine",
                                  .command_records = command_records(),
                                  .jobs = config_.background ? jobs_.jobs() : nullptr,
                                  .background_on_timeout = config_.background_on_timeout});
  if (config_.session_search) tools_.push_back(tools::recall_tool(recall_in(store_, workspace())));
  if (briefing_.remembers())
    tools_.push_back(
        tools::remember_tool([this](const std::string& text, const model::ToolPorts& ports) {
          if (!ports.session) throw Error("nothing is remembered outside of a session");
          briefing_.remember(text, memory::Scope::project, *ports.session,
                             store::value_or_throw(store_.open(*ports.session)).state.head);
        }));
  if (!role_)
    if (auto tool = agents_.start()) tools_.push_back(*std::move(tool));
  tools_.push_back(
      tools::skill_tool([this](const std::string& name, const model::ToolPorts& ports) {
        return project_.skills().read(name, ports, agents_.names());
      }));
  if (config_.web_fetch) tools_.push_back(web_.tool());
  if (config_.planning_tools)
    for (model::Tool (*const make)() :
         {tools::todo_tool, tools::ask_tool, tools::present_plan_tool})
      tools_.push_back(make());
}

void Application::make_agent() {
  agent_ = std::make_unique<Agent>(Agent::Parts{
      .store = store_,
      .tools = tools_,
      .provider = [this](const ModelRef& model) -> Provider& {
        return models_.provider_for(model);
      },
      .clean = [this](std::string text) { return models_.clean(std::move(text)); },
      .keep_blob = [this](std::string_view bytes) { return kept(bytes); },
      .limits = [this](const ModelRef& model) { return models_.limits_of(model); },
      .learn = [this](const ModelRef& model,
                      const ModelLimits& limits) { models_.learn(model, limits); },
      .fallbacks = [this](const ModelRef& model) { return models_.fallbacks_of(model); },
      .target = [this](const ModelRef& model) { return models_.target(model); },
      .files = invocation_.no_session ? nullptr : &file_keeper_,
      .keep_deltas_ms = config_.keep_deltas ? (home_in_database(invocation_) ? 5000 : 500) : 0,
      .no_sandbox = [this] { return commands_exposed(); },
      .before_turn = [this](const model::Ports& ports) { take_server_tools(ports); },
      .grant = [this](Id session, const std::string& rule) { return grants_.give(session, rule); },
      .grant_here = [this](const std::string& rule) { return rules_here_.give(rule); },
      .revoke_here = [this](const std::string& rule) { return rules_here_.take_back(rule); },
      .look_around = [this](agent::Settings& settings) { look_around(settings); },
      .nearby = [this](const std::string& below) { return briefing_.nearby(below); },
      .before_delegating =
          [this](const agent::Turn& turn) {
            if (subagents::Crew* crew = agents_.crew()) crew->bind(turn);
          },
      .left_behind =
          [this](Id session, const model::ToolUse& call) {
            subagents::Crew* crew = agents_.crew();
            return crew != nullptr ? crew->left_behind(session, call) : std::string{};
          },
      .inbox = &inbox_,
      .hooks = hooks_->hooks(),
      .sub_agent = for_another_ ? role_->name : "",
      .transcript = [this](Id session) { return transcript_of(session); },
      .cost = [this](const model::SessionState& session) { return models_.cost(session); }});
}

void Application::choose_role() {
  role_ = agents_.take(invocation_.agent);
  if (invocation_.model.empty() && model_of(*role_, catalog())) config_.model = role_->model;
  if (!role_->thinking.empty() && invocation_.thinking.empty()) config_.thinking = role_->thinking;
  if (role_->mode) config_.rules.mode = subagents::stricter(config_.rules.mode, *role_->mode);
  if (role_->most_calls > 0) config_.max_turns = std::min(config_.max_turns, role_->most_calls);
}

void Application::keep_to_role(model::Tools& tools) const {
  if (role_)
    std::erase_if(tools,
                  [&](const model::Tool& tool) { return !subagents::has_tool(*role_, tool); });
}

// Copies what the new one needs here, in the thread of the one that asks. The tools of servers
// belong to it too: they run there.
subagents::MakeWorker Application::hire(const subagents::Order& order) const {
  Helper helper{.role = order.agent, .keys = models_.keys()};
  if (order.in_turn)
    for (auto tool = tools_.begin() + static_cast<std::ptrdiff_t>(own_tools_); tool != tools_.end();
         ++tool) {
      helper.borrowed.push_back(*tool);
      helper.borrowed.back().concurrent = false;
      helper.borrowed.back().run = [in_turn = order.in_turn, run = tool->run](
                                       const JsonText& input, const model::ToolPorts& ports) {
        model::ToolOutcome outcome = model::tool_failure("cancelled by the user");
        in_turn([&] { outcome = run(input, ports); });
        return outcome;
      };
    }
  return [this, helper = std::move(helper), order]() -> std::unique_ptr<subagents::Worker> {
    return make_worker(invocation_, project_.places(), helper, order);
  };
}

bool Application::skills_wait() const { return !took_skills_ && project_.skills().are_read(); }

bool Application::take_skills() {
  if (std::exchange(took_skills_, true)) return false;
  const std::vector<project::LoadedSkill>& skills = project_.skills().all();
  if (std::ranges::none_of(skills,
                           [](const project::LoadedSkill& each) { return each.skill.for_model; }))
    own_tools_ -= std::erase_if(tools_, [name = tools::skill_tool({}).name](
                                            const model::Tool& tool) { return tool.name == name; });
  briefing_.make();
  news_.tell(first_lines(project_.skills().remarks()));
  return true;
}

void Application::look_around(agent::Settings& settings) {
  briefing_.read_changed();
  settings.system = briefing_.prompt().text;
  settings.surroundings = briefing_.prompt().surroundings;
  servers_.add_texts(settings);
}

void Application::take_server_tools(const model::Ports& ports) {
  std::optional<model::Tools> theirs = servers_.take_tools(ports);
  if (!theirs) return;
  keep_to_role(*theirs);
  tools_.erase(tools_.begin() + static_cast<std::ptrdiff_t>(own_tools_), tools_.end());
  std::ranges::move(*theirs, std::back_inserter(tools_));
}

std::optional<project::RenderedCommand> Application::rendered(std::string_view name,
                                                              std::string_view arguments,
                                                              const session::CommandPorts& ports) {
  const auto run = [&](const std::string& command,
                       const std::vector<std::string>& lends) -> project::ShellRun {
    ports.ports.sink(model::Notice{model::Notice::Level::info, "runs " + command});
    const Agent::OwnRun done = agent_->run_own(command, lends, ports.rules, ports.ports);
    return {done.run, done.text, done.status};
  };
  auto out = project_.render(
      name, arguments, {.run = run, .session = to_string(ports.session), .agents = agents_.names()},
      ports.confirm);
  if (out) return out;
  return servers_.rendered(name, arguments, ports.ports, tool_ports(ports.ports));
}

model::ToolPorts Application::tool_ports(const model::Ports& ports) {
  model::ToolPorts out;
  out.stopped = [&ports] { return ports.stopped(); };
  out.keep_blob = [this](std::string_view bytes) { return kept(bytes); };
  out.ask = ports.ask;
  out.ask_line = ports.ask_line;
  return out;
}

std::optional<model::Fetched> Application::fetched(const std::string& name,
                                                   const session::CommandPorts& ports) {
  if (auto page = web_.fetched(name, ports, tool_ports(ports.ports))) return page;
  return servers_.fetched(name, tool_ports(ports.ports));
}

bool Application::works_beside() const {
  return jobs_.running() > 0 || (agents_.crew() != nullptr && agents_.crew()->working() > 0);
}

std::vector<std::string> Application::take_up_work(const Conversation& conversation) {
  news_.enter(conversation.session());
  std::vector<std::string> running = jobs_.take_up(conversation);
  if (agents_.crew() != nullptr) agents_.crew()->take_up(conversation);
  const std::string ended = news_.take_notices().text;
  std::vector<std::string> out;
  for (const std::string_view line : split(ended, '\n')) out.emplace_back(line);
  std::ranges::move(running, std::back_inserter(out));
  return out;
}

std::string Application::leave_work(bool keep) {
  constexpr std::chrono::seconds patience{5};
  const std::size_t agents = agents_.crew() != nullptr ? agents_.crew()->stop_all(patience) : 0;
  const std::string stopped =
      agents > 0 ? counted(agents, "agent was", "agents were") + " stopped" : "";
  const std::string jobs = jobs_.leave(keep);
  return stopped + (stopped.empty() || jobs.empty() ? "" : "; ") + jobs;
}

Sandbox Application::sandbox() const { return config_.sandbox ? *config_.sandbox : best_sandbox(); }

// Why each command has to be asked about; empty: it need not. Landlock opens a folder with all that
// is in it.
std::string Application::commands_exposed() const {
  if (sandbox() == Sandbox::none) return describe(Sandbox::none);
  if (sandbox() != Sandbox::landlock) return {};
  std::vector<std::string> places;
  if (withheld_->has_patterns()) places = withheld_->find().places;
  std::ranges::move(folders_->withheld(), std::back_inserter(places));
  if (places.empty()) return {};
  return "Landlock cannot close " + places.front() + " to commands, which the model is kept from" +
         (places.size() > 1 ? ", and others" : "") + "; bubblewrap can";
}

screen::Screen::Parts Application::screen_parts() const {
  screen::Screen::Parts parts = skein::screen::screen_parts(
      STDOUT_FILENO, config_.color.empty() ? "auto" : config_.color, config_.screen_reader);
  parts.tools = &tools_;
  parts.account = [this](screen::TurnSummary& turn) { models_.account(turn); };
  return parts;
}

// What cannot be kept is no reason to end a turn: the tool says so instead.
std::string Application::kept(std::string_view bytes) {
  store::Result<std::string> name = store_.keep_blob(bytes);
  if (name) return *std::move(name);
  log_warning("blob not kept",
              {{"bytes", bytes.size()}, {"kind", static_cast<int>(name.error().kind)}});
  return {};
}

std::vector<std::string> Application::own_environment() const {
  return hook_environment({}, models_.keys().secrets());
}

std::string Application::transcript_of(Id session) const {
  if (invocation_.no_session || home_in_database(invocation_)) return {};
  return home_folder(invocation_) + "/transcripts/" + to_string(session) + ".jsonl";
}

Agent::Settings Application::settings_for(const Conversation& conversation, Flags flags) const {
  const bool by_flag = flags == Flags::count;
  const std::string& given = conversation.state().system;  // with /system
  Agent::Settings settings{.system = given.empty() ? briefing_.prompt().text : given,
                           .surroundings = briefing_.prompt().surroundings,
                           .rules = config_.rules,
                           .max_calls = config_.max_turns};
  settings.rules.typed = web_.typed_in(conversation.session());
  settings.rules.definition = [this](const std::string& tool) { return servers_.definition(tool); };
  std::string model = config_.model;
  if (const std::string& last = conversation.state().model;
      !(by_flag && !invocation_.model.empty()) && !last.empty()) {
    if (conversation.state().origin.empty() || models_.can_be_asked(last))
      model = last;
    else
      settings.notices.push_back(last + " cannot be asked here; going on with " +
                                 (model.empty() ? models_.default_name() : model));
  }
  settings.model = catalog().parse(model.empty() ? models_.default_name() : model);
  std::string thinking = config_.thinking;
  if (!(by_flag && !invocation_.thinking.empty()) && !conversation.state().thinking.empty())
    thinking = conversation.state().thinking;
  if (!config_.plan_model.empty()) settings.plan_model = catalog().parse(config_.plan_model);
  settings.model.thinking = model::parse_thinking_level(thinking).value_or(ThinkingLevel::off);
  permission::add_rules_here(settings.rules, tools_, rules_here_.rules());
  permission::add_session_rules(
      settings.rules, tools_, conversation.state().permissions,
      [&](const std::string& rule) { return grants_.has(conversation.session(), rule); });
  if (const std::size_t count = settings.rules.not_applied.size(); count > 0)
    settings.notices.push_back(
        counted(count, "rule this session recorded is", "rules this session recorded are") +
        " not applied here; /permissions shows " + (count == 1 ? "it" : "them"));
  for (const std::string& remark : instructions().remarks()) settings.notices.push_back(remark);
  for (const std::string& damage : {grants_.damage(), rules_here_.damage()})
    if (!damage.empty()) settings.notices.push_back(damage);
  std::ranges::move(remarks_on(catalog(), settings.model), std::back_inserter(settings.notices));
  std::ranges::move(folders_->take_up(conversation.session()),
                    std::back_inserter(settings.notices));
  settings.compact_at = config_.compact_at;
  return settings;
}

session::Services Application::services() {
  session::Services services;
  services.tools = &tools_;
  services.catch_up = [this] { return take_skills(); };
  services.own_commands = [this] { return project_.commands(); };
  services.render = [this](std::string_view name, std::string_view arguments,
                           const session::CommandPorts& ports) {
    return rendered(name, arguments, ports);
  };
  services.fetch = [this](const std::string& name, const session::CommandPorts& ports) {
    return fetched(name, ports);
  };
  services.typed = [this](Id session, std::string_view text) { note_typed(session, text); };
  services.grant = [this](Id session, const std::string& rule) {
    return grants_.give(session, rule);
  };
  services.take_back = [this](Id session, const std::string& rule) {
    return grants_.take_back(session, rule);
  };
  services.grant_here = [this](const std::string& rule) { return rules_here_.give(rule); };
  services.take_back_here = [this](const std::string& rule) { return rules_here_.take_back(rule); };
  services.leave_work = [this](bool keep) { return leave_work(keep); };
  services.take_up_work = [this](const Conversation& conversation) {
    return take_up_work(conversation);
  };
  services.hooks = [this] { return hooks_->lines(); };
  using Follow = session::Services::FilesFollow;
  services.files_follow = config_.files_follow == "always"  ? Follow::always
                          : config_.files_follow == "never" ? Follow::never
                                                            : Follow::ask;
  models_.offer(services);
  briefing_.offer(services);
  servers_.offer(services);
  agents_.offer(services);
  jobs_.offer(services);
  folders_->offer(services);
  offer_files(services, workspace(), withheld_, folders_->roots());
  offer_program(services, {.invocation = invocation_,
                           .config = config_,
                           .workspace = workspace(),
                           .model = [this] { return models_.first_name(); }});
  if (!invocation_.no_session) {
    offer_checkpoints(services, file_keeper_, store_);
    offer_presence(services, home_folder(invocation_));
  }
  return services;
}

int run(const Invocation& given) {
  Invocation invocation = given;
  invocation.home = chosen_home(given);
  start_log(state_folder(), invocation.debug);
  if (invocation.debug && !log_file().empty())
    std::fprintf(stderr, "skein: the log is in %s\n", layout::sanitized(log_file()).c_str());
  if (invocation.subcommand != nullptr) {
    if (invocation.subcommand->config == Subcommand::Config::checked)
      configured_catalog(invocation);  // throws Error if it is not understood
    return invocation.subcommand->run(invocation);
  }
  catch_signals();
  tools::sandbox::hide_process_memory();
  const project::Places places = places_around(workspace_folder(invocation));
  const bool can_ask = !invocation.print && attended();
  settle_interrupted_commands(can_ask);
  if (can_ask) offer_trust(invocation, places);
  Application application(invocation, places);
  return invocation.print ? print_mode(application, invocation)
                          : repl_mode(application, invocation);
}

}  // namespace skein::app
