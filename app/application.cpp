#include "app/application.h"

#include "app/setup/client.h"
#include "app/setup/home.h"
#include "core/insights/collect.h"
#include "core/search/search.h"
#include "core/store/home/file_backend.h"
#include "core/text/log.h"
#include "core/text/text.h"
#include "core/tools/arguments.h"
#include "core/workspace/staged_file.h"

namespace skein::app {

using agent::Agent, agent::Conversation, agent::ModelLimits, model::ModelRef, model::Provider;
using sandbox::describe, sandbox::Sandbox;
using subagents::Definition, subagents::AgentTask, model::ThinkingLevel, store::SessionStore;

namespace {

// Of one call. A long one may be charged higher.
std::optional<double> price_of(const catalog::Catalog& catalog, const std::string& model,
                               const model::Usage& usage) {
  model::Usage call;
  call += usage;
  const auto cost = catalog.cost(model, call);
  return cost ? std::optional(cost->dollars) : std::nullopt;
}

// What a sub-agent works with: a separate Application, made in the thread that works.
class ApplicationWorker : public subagents::Worker {
 public:
  ApplicationWorker(const Invocation& invocation, const project::Places& places,
                    const SubAgentSetup& setup, const AgentTask& order)
      : application_(invocation, places, &setup), order_(order) {}

  store::SessionStore& store() override { return application_.store(); }
  agent::Agent& agent() override { return application_.agent(); }
  const std::string& workspace() const override { return application_.workspace(); }

  agent::Settings settings(const agent::Conversation& conversation) override {
    agent::Settings out = application_.settings_for(conversation, Application::Flags::do_not);
    const agent::Settings& asking = order_.settings;
    const Definition& role = order_.agent;
    if (!order_.goes_on || !role.model.empty()) out.model = asking.model;
    if (const std::optional<ModelRef> own = model_of(role, application_.catalog())) {
      out.model = *own;
      out.model.thinking = asking.model.thinking;
      out.plan_model.reset();
    }
    if (const auto level = model::parse_thinking_level(role.thinking)) out.model.thinking = *level;
    out.rules = asking.rules;
    if (role.mode) out.rules.mode = subagents::stricter(asking.rules.mode, *role.mode);
    out.max_calls =
        role.most_calls > 0 ? std::min(role.most_calls, asking.max_calls) : asking.max_calls;
    return out;
  }

  std::optional<double> cost(const std::string& model, const model::Usage& usage) override {
    return price_of(application_.catalog(), model, usage);
  }

  std::function<void(const model::Event&)> masking(
      std::function<void(const model::Event&)> sink) override {
    return application_.models().masking(std::move(sink));
  }

 private:
  Application application_;
  const AgentTask order_;
};

// What the tool `recall` finds: earlier sessions of the same project, searched as `skein search`
// does. `store` must outlive it.
tools::Recall recall_in(store::SessionStore& store, const std::string& workspace) {
  return [&store, workspace](const std::string& query, const std::string& since,
                             const model::ToolPorts& ports) {
    constexpr std::size_t most = 5, characters = 500;
    // The conversation the call is made in is before the model already.
    search::Request request{.query = search::parse_query(query),
                            .filter = {.except = ports.session, .cwd = workspace},
                            .limit = most,
                            .snippet_characters = characters};
    if (!since.empty()) {
      const auto time = time_ms(since, now_ms());
      if (!time) throw Error("'" + since + "' is not a time; write 7d or 2026-11-01");
      request.filter.since = utc_from_ms(*time);
    }
    std::vector<tools::Recollection> out;
    for (const search::Hit& hit : search::search_ranked(store, request).hits)
      out.push_back({hit.key, hit.entry ? to_string(*hit.entry) : "-",
                     std::string(search::name(hit.role)), hit.time, hit.snippet.text});
    return out;
  };
}

SessionStore store_for(const Invocation& invocation) {
  if (!invocation.no_session) return open_store(invocation);
  return SessionStore(std::make_unique<store::home::FileBackend>(store::files::memory_files()));
}

// What the model is kept from in a workspace, by its files and the user's.
workspace::IgnoredPaths::Settings ignored_settings(const project::Places& places,
                                                   const config::Config& config) {
  return {.workspace = places.workspace,
          .project = places.root(),
          .own_file = places.config.empty() ? "" : places.config + "/ignore",
          .names = config.ignore_files};
}

// Any thread may ask for the sum of the day: store and catalog are made for it.
std::unique_ptr<budget::Budget> budget_for(const Invocation& invocation,
                                           const config::Config& config) {
  const auto logged = [&invocation](const std::string& since) {
    catalog::Catalog catalog;
    load_config(invocation, workspace_folder(invocation), catalog);
    discovery::ModelCache cache(models_file(invocation));
    use_cache(catalog, cache);
    SessionStore store = open_store(invocation);
    const insights::CollectRequest request{
        .since = since, .only_changed = true, .prices = call_cost(catalog)};
    return insights::collect(store, request).all.dollars;
  };
  return std::make_unique<budget::Budget>(
      budget::Budget::Parts{.limits = config.budget,
                            .day_file = below(state_folder(), "spending.json"),
                            .logged = logged});
}

// Where commands and hooks of all sessions find each other.
std::string claims_file() { return below(state_folder(), "claims"); }

// A few lines at most: /skills shows all of them.
std::string first_lines(const std::vector<std::string>& remarks) {
  constexpr std::size_t most = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, remarks.size()); ++i)
    out += (i == 0 ? "" : "\n") + remarks[i];
  if (remarks.size() > most) out += "\n/skills shows more of these";
  return out;
}

}  // namespace

Application::Application(const Invocation& invocation, const project::Places& places,
                         const SubAgentSetup* setup)
    : invocation_(invocation),
      project_(places, ProjectFiles::Skills::load),
      config_(load_config(invocation, workspace(), catalog_)),
      store_(store_for(invocation)),
      ignored_(std::make_shared<const workspace::IgnoredPaths>(ignored_settings(places, config_))),
      grants_(state_file(invocation, "grants.json"), workspace()),
      rules_here_(state_file(invocation, "rules.json"), workspace()),
      file_keeper_([this] {
        return std::make_unique<checkpoints::WorkspaceFiles>(
            store_, contents_of(invocation_, store_), workspace(), own_places(invocation_),
            sandbox(), looks_file(invocation_, workspace()), checkpoints::ScanLimits{},
            unfinished_folder());
      }),
      configured_(setup != nullptr ? Servers{}
                                   : configured_servers(invocation, config_, project_, catalog_)),
      models_(invocation, config_, catalog_,
              setup != nullptr ? setup->keys : gathered_keys(catalog_)),
      for_another_(setup != nullptr),
      own_budget_(setup == nullptr ? budget_for(invocation, config_) : nullptr),
      budget_(setup == nullptr ? *own_budget_ : *setup->budget),
      role_(take_role(setup)),
      folders_(open_folders()),
      agents_({invocation, config_, project_, catalog_},
              role_ ? SubAgents::Wanted::no : SubAgents::Wanted::yes),
      briefing_({.config = config_,
                 .project = project_,
                 .agents = agents_,
                 .role = role_,
                 .withheld = ignored_,
                 .memory_folder = memory_folder(invocation),
                 .models = models_}),
      jobs_({.news = news_,
             .folder = state_file(invocation, "jobs"),
             .models = models_,
             .wake = config_.wake}),
      web_(config_),
      structured_(setup == nullptr && !invocation.json_schema.empty()
                      ? std::make_unique<StructuredAnswer>(invocation.json_schema)
                      : nullptr),
      hooks_({.invocation = invocation,
              .config = config_,
              .project = project_,
              .tools = tools_,
              .keys = models_.keys(),
              .claims = sandbox::FileClaims(claims_file()),
              .more = hooks_of_client(),
              .for_sub_agent = for_another_}),
      crew_(agents_.make_pool(store_, news_, &budget_,
                              [this](const AgentTask& order) { return hire(order); })),
      agent_(agent_parts()) {
  project_.skills().withhold(ignored_->settings());
  tools_ = make_tools(setup);
  own_tools_ = tools_.size();
  config_.rules.unseen_hook = hooks_.unseen();
  if (for_another_ || invocation.print || project_.skills().are_read()) take_skills();
  std::vector<std::string> untrusted = project_.project().untrusted();
  untrusted.insert(untrusted.begin(), config_.untrusted.begin(), config_.untrusted.end());
  const std::string line = untrusted_line(untrusted);
  if (!for_another_ && is_due(line, project_.places())) notices_.push_back(line);
  for (const auto& notices :
       {workspace::Unfinished::clear(unfinished_folder()), folders_.not_opened(),
        configured_.notices, agents_.remarks(), hooks_.notices()})
    notices_.insert(notices_.end(), notices.begin(), notices.end());
  if (!configured_.entries.empty())
    servers_.start(configured_.entries,
                   {workspace(), invocation.print, models_, invocation.client});
}

// The configuration follows the role. What names models is checked before anything is made.
std::optional<Definition> Application::take_role(const SubAgentSetup* setup) {
  std::optional<Definition> role;
  if (setup != nullptr) {
    role = setup->role;
  } else if (!invocation_.agent.empty()) {
    role = find_agent({invocation_, config_, project_, catalog_}, invocation_.agent, notices_);
    if (invocation_.model.empty() && model_of(*role, catalog_)) config_.model = role->model;
    if (!role->thinking.empty() && invocation_.thinking.empty()) config_.thinking = role->thinking;
    if (role->mode) config_.rules.mode = subagents::stricter(config_.rules.mode, *role->mode);
    if (role->most_calls > 0) config_.max_turns = std::min(config_.max_turns, role->most_calls);
  }
  if (role) config_.system_prompt = role->instructions;
  for (const std::string& name : {config_.model, config_.plan_model})
    if (!name.empty()) catalog_.parse(name);
  if (!invocation_.base_url.empty())
    catalog_.move_provider(catalog_.parse(models_.first_name()).provider, invocation_.base_url);
  return role;
}

session::SessionFolders Application::open_folders() {
  using Names = std::vector<std::string>;
  return {{.store = store_,
           .grants = grants_,
           .roots = {.workspace = workspace(),
                     .forbidden = own_places(invocation_),
                     .withheld = ignored_->settings(),
                     .unfinished = unfinished_folder()}},
          for_another_ ? Names{} : invocation_.add_dirs,
          for_another_ ? Names{} : config_.add_folders};
}

model::Tools Application::make_tools(const SubAgentSetup* setup) {
  for (const std::string& path : project_.trust().paths())
    if (path.starts_with(workspace() + "/"))
      config_.rules.guarded.push_back(path.substr(workspace().size() + 1));
  model::Tools tools =
      tools::standard_tools({.root = workspace(),
                             .forbidden = own_places(invocation_),
                             .sandbox = config_.sandbox,
                             .network = config_.sandbox_network,
                             .command_limits = config_.command_limits(),
                             .guarded =
                                 [root = project_.places().root()] {
                                   return project::TrustRecord(trust_folder(), root).paths();
                                 },
                             .claims = claims_file(),
                             .withheld = ignored_,
                             .readable = project_.skills().readable(),
                             .further = folders_.roots(),
                             .unfinished = unfinished_folder(),
                             .quarantine = below(state_folder(), "quarantine"),
                             .command_records = command_records(),
                             .jobs = config_.background ? jobs_.jobs() : nullptr});
  if (config_.session_search) tools.push_back(tools::recall_tool(recall_in(store_, workspace())));
  if (briefing_.remembers())
    tools.push_back(
        tools::remember_tool([this](const std::string& text, const model::ToolPorts& ports) {
          if (!ports.session) throw Error("nothing is remembered outside of a session");
          briefing_.remember(text, memory::Scope::project, *ports.session,
                             store_.open(*ports.session).state.head);
        }));
  if (crew_)
    tools.push_back(tools::agent_tool(
        [this](const tools::AgentRequest& request, const model::ToolPorts& ports) {
          return crew_->run(request, ports);
        },
        config_.background));
  tools.push_back(tools::skill_tool([this](const std::string& name, const model::ToolPorts& ports) {
    return project_.skills().read(name, ports, agents_.names());
  }));
  if (config_.web_fetch) tools.push_back(web_.tool());
  if (config_.planning_tools)
    for (model::Tool (*const make)() :
         {tools::todo_tool, tools::ask_tool, tools::present_plan_tool})
      tools.push_back(make());
  if (setup != nullptr) std::ranges::copy(setup->borrowed, std::back_inserter(tools));
  keep_to_role(tools);
  if (const auto& offered = invocation_.offered_tools)
    std::erase_if(tools, [&](const model::Tool& tool) {
      return std::ranges::none_of(hooks::names_of(tool.name), [&](const std::string& name) {
        return std::ranges::find(*offered, name) != offered->end();
      });
    });
  if (structured_) tools.push_back(structured_->tool());
  return tools;
}

std::vector<hooks::HookDefinition> Application::hooks_of_client() {
  std::vector<hooks::HookDefinition> out;
  if (invocation_.client != nullptr) out = invocation_.client->hooks;
  if (structured_) out.push_back(structured_->stop_hook());
  return out;
}

agent::Parts Application::agent_parts() {
  return {
      .store = store_,
      .tools = tools_,
      .provider = [this](const ModelRef& model) -> Provider& {
        return models_.provider_for(model);
      },
      .limits = [this](const ModelRef& model) { return models_.limits_of(model); },
      .learn = [this](const ModelRef& model,
                      const ModelLimits& limits) { models_.learn(model, limits); },
      .fallbacks = [this](const ModelRef& model) { return models_.fallbacks_of(model); },
      .target = [this](const ModelRef& model) { return models_.target(model); },
      .cost = [this](const model::SessionState& session) { return models_.cost(session); },
      .budget = &budget_,
      .price = [this](const std::string& model,
                      const model::Usage& usage) { return price_of(catalog_, model, usage); },
      .spent = [this](const Conversation& session) { return spent_in(session); },
      .clean = [this](std::string text) { return models_.clean(std::move(text)); },
      .keep_blob = [this](std::string_view bytes) { return kept(bytes); },
      .files = invocation_.no_session ? nullptr : &file_keeper_,
      .keep_deltas_ms = home_in_database(invocation_) ? 5000 : 500,
      .transcript = [this](Id session) { return transcript_of(session); },
      .no_sandbox = [this] { return commands_exposed(); },
      .grant = [this](Id session, const std::string& rule) { return grants_.give(session, rule); },
      .grant_here = [this](const std::string& rule) { return rules_here_.give(rule); },
      .revoke_here = [this](const std::string& rule) { return rules_here_.take_back(rule); },
      .before_turn = [this](const model::Ports& ports) { take_server_tools(ports); },
      .look_around = [this](agent::Settings& settings) { look_around(settings); },
      .nearby = [this](const std::string& below) { return briefing_.nearby(below); },
      .delegates = crew_.get(),
      .sub_agent = for_another_ ? role_->name : "",
      .inbox = &inbox_,
      .hooks = hooks_.hooks()};
}

void Application::keep_to_role(model::Tools& tools) const {
  if (role_)
    std::erase_if(tools,
                  [&](const model::Tool& tool) { return !subagents::has_tool(*role_, tool); });
}

// Copies what the new one needs here, in the thread of the one that asks. The tools of servers
// belong to it too: they run there.
subagents::MakeWorker Application::hire(const subagents::AgentTask& order) const {
  SubAgentSetup setup{.role = order.agent, .keys = models_.keys(), .budget = &budget_};
  if (order.in_turn)
    for (auto tool = tools_.begin() + static_cast<std::ptrdiff_t>(own_tools_); tool != tools_.end();
         ++tool) {
      setup.borrowed.push_back(*tool);
      setup.borrowed.back().concurrent = false;
      setup.borrowed.back().run = [in_turn = order.in_turn, run = tool->run](
                                      const JsonText& input, const model::ToolPorts& ports) {
        model::ToolOutcome outcome = model::tool_failure("cancelled by the user");
        in_turn([&] { outcome = run(input, ports); });
        return outcome;
      };
    }
  return [this, setup = std::move(setup), order]() -> std::unique_ptr<subagents::Worker> {
    return std::make_unique<ApplicationWorker>(invocation_, project_.places(), setup, order);
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

std::vector<std::string> Application::tighten(const permission::Rules& rules) {
  std::vector<std::string> added;
  const auto add = [&added](std::vector<permission::Rule>& to,
                            const std::vector<permission::Rule>& from, const char* verb) {
    for (const permission::Rule& rule : from) {
      if (std::ranges::find(to, rule) != to.end()) continue;
      to.push_back(rule);
      added.push_back(tools::one_line(verb, permission::to_string(rule)));
    }
  };
  add(config_.rules.deny, rules.deny, "deny");
  add(config_.rules.ask, rules.ask, "ask about");
  tightened_ = tightened_ || !added.empty();
  return added;
}

bool Application::catch_up() {
  const bool took = take_skills();
  return std::exchange(tightened_, false) || took;
}

const instructions::Instructions* Application::instructions() {
  briefing_.read_changed();
  return &briefing_.instructions();
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

std::optional<project::RenderedCommand> Application::render(std::string_view name,
                                                            std::string_view arguments,
                                                            const session::CommandPorts& ports) {
  const auto run = [&](const std::string& command,
                       const std::vector<std::string>& temporary_rules) -> project::ShellRun {
    ports.ports.sink(model::Notice{model::Notice::Level::info, "running " + command});
    const agent::CallRunner::OwnRun done =
        agent_.calls().run_own(command, temporary_rules, ports.rules, ports.ports);
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

std::optional<model::Fetched> Application::fetch(const std::string& name,
                                                 const session::CommandPorts& ports) {
  if (auto page = web_.fetched(name, ports, tool_ports(ports.ports))) return page;
  return servers_.fetched(name, tool_ports(ports.ports));
}

// All branches, and the sub-agents of the session; what has no known price is left out.
double Application::spent_in(const Conversation& conversation) const {
  if (config_.budget.session == 0) return 0;
  std::map<std::string, model::Usage> used = conversation.state().usage;
  if (crew_)
    for (const auto& [model, usage] : crew_->used_by(conversation.session())) used[model] += usage;
  const auto cost = catalog_.cost(used);
  return cost ? cost->dollars : 0;
}

bool Application::works_in_background() const {
  return jobs_.any_runs() || (crew_ && crew_->working() > 0);
}

std::vector<std::string> Application::take_up_work(const Conversation& conversation) {
  news_.enter(conversation.session());
  std::vector<std::string> running = jobs_.take_up(conversation);
  if (crew_) crew_->take_up(conversation);
  const std::string ended = news_.take_notices().text;
  std::vector<std::string> out;
  for (const std::string_view line : split(ended, '\n')) out.emplace_back(line);
  std::ranges::move(running, std::back_inserter(out));
  return out;
}

std::string Application::leave_work(bool keep) {
  constexpr std::chrono::seconds patience{5};
  const std::size_t agents = crew_ ? crew_->stop_all(patience) : 0;
  const std::string stopped =
      agents > 0 ? counted(agents, "agent was", "agents were") + " stopped" : "";
  const std::string jobs = jobs_.leave(keep);
  return stopped + (stopped.empty() || jobs.empty() ? "" : "; ") + jobs;
}

// Why each command has to be asked about; empty: it need not. Landlock opens a folder with all that
// is in it.
std::string Application::commands_exposed() const {
  if (sandbox() == Sandbox::none) return describe(Sandbox::none);
  if (sandbox() != Sandbox::landlock) return {};
  std::vector<std::string> places;
  if (ignored_->has_patterns()) places = ignored_->find().places;
  std::ranges::move(folders_.withheld(), std::back_inserter(places));
  if (places.empty()) return {};
  return "Landlock cannot hide " + places.front() + (places.size() > 1 ? " and others" : "") +
         " from commands, although the model may not read them; bubblewrap can";
}

screen::Screen::Parts Application::screen_parts() const {
  screen::Screen::Parts parts = skein::screen::screen_parts(
      STDOUT_FILENO, config_.color.empty() ? "auto" : config_.color, config_.screen_reader);
  parts.tools = &tools_;
  parts.account = [this](screen::TurnSummary& turn) {
    models_.account(turn);
    if (!crew_ || !turn.live) return;
    const auto [dollars, at_least] = crew_->take_spent();
    if (dollars <= 0 && !at_least) return;
    turn.at_least = at_least || !turn.cost_usd;
    turn.cost_usd = turn.cost_usd.value_or(0) + dollars;
  };
  return parts;
}

// What cannot be kept is no reason to end a turn: the tool says so instead.
std::string Application::kept(std::string_view bytes) {
  store::Result<std::string> name = store_.blobs().keep_blob(bytes);
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

Agent::Settings Application::settings_for(const Conversation& conversation, Flags flags) {
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
      settings.notices.push_back(last + " cannot be used here; continuing with " +
                                 (model.empty() ? models_.default_name() : model));
  }
  settings.model = catalog_.parse(model.empty() ? models_.default_name() : model);
  std::string thinking = config_.thinking;
  if (!(by_flag && !invocation_.thinking.empty()) && !conversation.state().thinking.empty())
    thinking = conversation.state().thinking;
  if (!config_.plan_model.empty()) settings.plan_model = catalog_.parse(config_.plan_model);
  settings.model.thinking = model::parse_thinking_level(thinking).value_or(ThinkingLevel::off);
  permission::add_rules_here(settings.rules, tools_, rules_here_.rules());
  permission::add_session_rules(
      settings.rules, tools_, conversation.state().permissions,
      [&](const std::string& rule) { return grants_.has(conversation.session(), rule); });
  if (const std::size_t count = settings.rules.not_applied.size(); count > 0)
    settings.notices.push_back(
        counted(count, "rule this session recorded is", "rules this session recorded are") +
        " not applied here; /permissions shows " + (count == 1 ? "it" : "them"));
  for (const std::string& remark : briefing_.instructions().remarks())
    settings.notices.push_back(remark);
  for (const std::string& damage : {grants_.damage(), rules_here_.damage()})
    if (!damage.empty()) settings.notices.push_back(damage);
  std::ranges::move(remarks_on(catalog_, settings.model), std::back_inserter(settings.notices));
  std::ranges::move(folders_.take_up(conversation.session()), std::back_inserter(settings.notices));
  settings.compact_at = config_.compact_at;
  return settings;
}

}  // namespace skein::app
