#include "app/application.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include "app/availability.h"
#include "app/home.h"
#include "app/mcp_servers.h"
#include "app/model_refresh.h"
#include "app/recall.h"
#include "app/system_prompt.h"
#include "app/trust.h"
#include "app/trust_items.h"
#include "core/project/project_id.h"
#include "core/store/home/file_backend.h"
#include "core/text/amounts.h"
#include "core/text/log.h"
#include "core/text/text.h"
#include "core/tools/tools.h"
#include "providers/catalog/ending.h"
#include "providers/event_mask.h"
#include "providers/http/address.h"
#include "providers/stream.h"
#include "repl/layout/sanitize.h"

namespace skein::app {

using agent::Agent, agent::Conversation, agent::ModelLimits, catalog::ModelRow;
using catalog::ProviderRow, model::ModelRef, model::Provider, model::ThinkingLevel;
using store::SessionStore, tools::sandbox::best_sandbox, tools::sandbox::describe;
using tools::sandbox::Sandbox;

namespace {

// Where no limit is known none is sent, and an answer still needs room. A window that ends where
// the price goes up is the user's, not the model's: no need to keep all of the longest answer free.
std::int64_t reserved_for_answer(const ModelRow& row) {
  constexpr std::int64_t usual = 32'000;
  if (row.max_output == 0) return std::min(usual, row.window / 4);
  return row.tiers[0].above == row.window ? std::min(usual, row.max_output) : row.max_output;
}

SessionStore store_for(const Invocation& invocation) {
  if (!invocation.no_session) return open_store(invocation);
  return SessionStore(std::make_unique<store::home::FileBackend>(store::files::memory_files()));
}

std::atomic<unsigned>& signal_count() {
  static std::atomic<unsigned> count{0};
  static_assert(std::atomic<unsigned>::is_always_lock_free);
  return count;
}

}  // namespace

unsigned signals_seen() { return signal_count(); }

// No SA_RESTART: a signal must end a wait.
void catch_signals() {
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    if (signal != SIGINT) leave_asked() = true;
    stop_asked() = true;
    ++signal_count();
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

std::atomic<bool>& stop_asked() {
  static std::atomic<bool> asked{false};
  static_assert(std::atomic<bool>::is_always_lock_free);
  return asked;
}

std::atomic<bool>& leave_asked() {
  static std::atomic<bool> asked{false};
  return asked;
}

Application::Application(const Invocation& invocation, const project::Places& places,
                         const Helper* helper)
    : invocation_(invocation),
      workspace_(places.workspace),
      project_(places, ProjectFiles::Skills::load),
      config_(load_config(invocation, workspace_, catalog_)),
      store_(store_for(invocation)),
      windows_(windows_file(invocation)),
      model_cache_(models_file(invocation)),
      withheld_(
          std::make_shared<const tools::workspace::Withheld>(withheld_settings(places, config_))),
      instructions_(instruction_places(places), config_.max_instructions,
                    [this](const std::string& file) { return withheld_->keeps(file); }),
      memory_(memory_folder(invocation), project::project_id(places.root())),
      grants_(grants_file(invocation), workspace_),
      rules_here_(rules_file(invocation), workspace_),
      file_keeper_([this] {
        return std::make_unique<checkpoints::WorkspaceFiles>(
            store_, contents_of(invocation_, store_), workspace_, own_places(invocation_),
            sandbox(), looks_file(invocation_, workspace_));
      }) {
  use_cache(catalog_, model_cache_);
  Servers servers;
  if (helper != nullptr) {
    role_ = helper->role;
    keys_ = helper->keys;
    for_another_ = true;
  } else {
    servers = configured_servers(invocation, config_, project_, catalog_);
    keys_.take_environment(catalog_.key_variables());
    if (!invocation.agent.empty()) choose_role();
  }
  if (role_) config_.system_prompt = role_->instructions;
  for (const std::string& name : {config_.model, config_.plan_model})
    if (!name.empty()) catalog_.parse(name);  // before anything is made
  if (!invocation.base_url.empty()) {
    const std::string model = config_.model.empty() ? default_model() : config_.model;
    catalog_.move_provider(catalog_.parse(model).provider, invocation.base_url);
  }
  const std::string state = state_folder();
  project_.skills().withhold(withheld_->settings());
  open_folders();
  const std::vector<std::string> guarded = guarded_files(project_);
  for (const std::string& path : guarded)
    if (path.starts_with(workspace_ + "/"))
      config_.rules.guarded.push_back(path.substr(workspace_.size() + 1));
  jobs_ = make_jobs();
  tools_ = tools::standard_tools({.root = workspace_,
                                  .forbidden = own_places(invocation),
                                  .sandbox = config_.sandbox,
                                  .network = config_.sandbox_network,
                                  .command_limits = config_.command_limits(),
                                  .guarded = guarded,
                                  .withheld = withheld_,
                                  .readable = project_.skills().readable(),
                                  .further = further_,
                                  .quarantine = state.empty() ? "" : state + "/quarantine",
                                  .jobs = config_.background ? jobs_ : nullptr,
                                  .background_on_timeout = config_.background_on_timeout});
  if (config_.session_search) tools_.push_back(tools::recall_tool(recall_in(store_, workspace_)));
  if (!memory_.file(memory::Scope::project).path().empty())
    tools_.push_back(
        tools::remember_tool([this](const std::string& text, const model::ToolPorts& ports) {
          if (!ports.session) throw Error("nothing is remembered outside of a session");
          remember(text, memory::Scope::project, *ports.session,
                   store::value_or_throw(store_.open(*ports.session)).state.head);
        }));
  if (!role_) set_up_agents();
  tools_.push_back(
      tools::skill_tool([this](const std::string& name, const model::ToolPorts& ports) {
        return project_.skills().read(name, ports, agent_names());
      }));
  if (config_.web_fetch) tools_.push_back(web_tool());
  if (config_.planning_tools)
    for (model::Tool (*const make)() :
         {tools::todo_tool, tools::ask_tool, tools::present_plan_tool})
      tools_.push_back(make());
  if (helper != nullptr) std::ranges::copy(helper->borrowed, std::back_inserter(tools_));
  keep_to_role(tools_);
  own_tools_ = tools_.size();
  if (helper != nullptr || invocation.print || project_.skills().are_read()) take_skills();
  server_notices_ = std::move(servers.notices);
  std::ranges::copy(agent_remarks_, std::back_inserter(server_notices_));
  set_up_hooks();
  agent_ = std::make_unique<Agent>(Agent::Parts{
      .store = store_,
      .tools = tools_,
      .provider = [this](const ModelRef& model) -> Provider& { return provider_for(model); },
      .clean = [this](std::string text) { return clean(std::move(text)); },
      .keep_blob = [this](std::string_view bytes) { return kept(bytes); },
      .limits = [this](const ModelRef& model) { return limits_of(model); },
      .learn =
          [this](const ModelRef& model, const ModelLimits& limits) {
            windows_.keep(place_of(model), {limits.window.tokens, limits.tokens_per_guess},
                          now_ms());
          },
      .fallbacks = [this](const ModelRef& model) { return fallbacks_of(model); },
      .target = [this](const ModelRef& model) { return catalog_.target(model, config_.handover); },
      .files = invocation.no_session ? nullptr : &file_keeper_,
      .keep_deltas_ms = config_.keep_deltas ? 500 : 0,
      .no_sandbox = [this] { return commands_exposed(); },
      .before_turn = [this](const model::Ports& ports) { take_server_tools(ports); },
      .grant = [this](Id session, const std::string& rule) { return grants_.give(session, rule); },
      .grant_here = [this](const std::string& rule) { return rules_here_.give(rule); },
      .look_around = [this](agent::Settings& settings) { look_around(settings); },
      .nearby =
          [this](const std::string& below) {
            std::vector<agent::Surrounding> out;
            for (instructions::Document& each : instructions_.nearby(below))
              out.push_back({std::move(each.name), std::move(each.text), true});
            for (const project::LoadedSkill* each : project_.skills().about(below))
              out.push_back({each->file(), project::skill_offer(*each), true});
            return out;
          },
      .before_delegating =
          [this](const agent::Turn& turn) {
            if (crew_) crew_->bind(turn);
          },
      .left_behind =
          [this](Id session, const model::ToolUse& call) {
            return crew_ ? crew_->left_behind(session, call) : std::string{};
          },
      .inbox = &inbox_,
      .hooks = hooks_.get(),
      .sub_agent = for_another_ ? role_->name : "",
      .transcript = [this](Id session) { return transcript_of(session); },
      .cost = [this](const model::SessionState& session) -> std::optional<double> {
        double sum = 0;
        for (const auto& [model, usage] : session.usage) {
          const auto cost = catalog_.cost(model, usage);
          if (!cost) return std::nullopt;
          sum += cost->dollars;
        }
        return sum;
      }});
  if (!servers.entries.empty()) start_servers(servers.entries);
}

void Application::remember(const std::string& text, memory::Scope scope, Id session,
                           std::optional<Id> entry) const {
  memory_.file(scope).add({.text = clean(text),
                           .session = to_string(session),
                           .entry = entry ? to_string(*entry) : "",
                           .date = now_utc().substr(0, 10)});
}

std::int64_t Application::first_window() const {
  const std::string name = config_.model.empty() ? default_model() : config_.model;
  return catalog_.find_model(catalog_.parse(name)).window;
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
      name, arguments, {.run = run, .session = to_string(ports.session), .agents = agent_names()},
      ports.confirm);
  return out ? std::move(out) : rendered_prompt(name, arguments, ports.ports);
}

// The model and where it is served: the same name may mean another window elsewhere.
std::string Application::place_of(const ModelRef& model) const {
  const ProviderRow* row = catalog_.find_provider(model.provider);
  return model::to_string(model) + (row != nullptr ? " " + catalog::base_url(*row) : "");
}

// A server on this machine is asked when a model of its is first used: it runs with the window it
// was started with, whatever the model could take. True: it has told.
bool Application::ask_server_here(const ModelRef& model) {
  constexpr std::int64_t pause_ms = 60'000;
  const ProviderRow* row = catalog_.find_provider(model.provider);
  if (row == nullptr || !row->local) return false;
  const std::string url = catalog::base_url(*row);
  if (!http::is_loopback(http::host_of(url))) return false;
  if (const auto [last, is_new] = asked_.try_emplace(url, now_ms());
      is_new || now_ms() - last->second > pause_ms) {
    last->second = now_ms();
    refresh_models_of(*row, catalog_, keys_, model_cache_, model::Ports{.stop = &stop_asked()});
  }
  return std::ranges::any_of(catalog_.served(*row), [&](const catalog::ServiceModel& each) {
    return each.name == model.model && each.window > 0;
  });
}

ModelLimits Application::limits_of(const ModelRef& model) {
  const bool told = ask_server_here(model);
  const ModelRow row = catalog_.find_model(model);
  const catalog::BuiltInRow* built_in = catalog_.find_built_in(model.provider);
  ModelLimits limits{{row.window, reserved_for_answer(row)},
                     built_in != nullptr && !built_in->summarizes};
  const ProviderRow* provider = catalog_.find_provider(model.provider);
  limits.cuts_silently = provider != nullptr && provider->local;
  if (const auto known = windows_.find(place_of(model), now_ms())) {
    // What the server says now is newer than what it said when it refused a request.
    if (!told && (row.window == 0 || known->tokens < row.window))
      limits.window.tokens = known->tokens;
    limits.tokens_per_guess = known->tokens_per_guess;
  }
  return limits;
}

std::vector<ModelRef> Application::fallbacks_of(const ModelRef& model) const {
  auto found = config_.fallback.find(model::to_string(model));
  if (found == config_.fallback.end()) found = config_.fallback.find("");
  std::vector<ModelRef> out;
  if (found != config_.fallback.end())
    for (const std::string& name : found->second) out.push_back(catalog_.parse(name));
  return out;
}

// Why each command has to be asked about; empty: it need not.
Sandbox Application::sandbox() const { return config_.sandbox ? *config_.sandbox : best_sandbox(); }

screen::Screen::Parts Application::screen_parts() const {
  screen::Screen::Parts parts = skein::screen::screen_parts(
      STDOUT_FILENO, config_.color.empty() ? "auto" : config_.color, config_.screen_reader);
  parts.tools = &tools_;
  parts.account = [this](screen::TurnSummary& turn) {
    const ModelRow row = catalog_.find_model({.provider = turn.provider, .model = turn.model});
    turn.window = row.known ? row.window : 0;
    std::optional<double> sum;
    for (const model::Usage& call : turn.each) {
      model::Usage one;
      one += call;
      const auto cost = catalog_.cost(turn.provider + "/" + turn.model, one);
      if (!cost) return;
      sum = sum.value_or(0) + cost->dollars;
    }
    turn.cost_usd = sum;
  };
  return parts;
}

std::string Application::clean(std::string text) const {
  return providers::mask_secrets(text, keys_.secrets());
}

std::function<void(const model::Event&)> Application::masking(
    std::function<void(const model::Event&)> sink) const {
  return providers::EventMask(keys_, std::move(sink));
}

// What cannot be kept is no reason to end a turn: the tool says so instead.
std::string Application::kept(std::string_view bytes) {
  store::Result<std::string> name = store_.keep_blob(bytes);
  if (name) return *std::move(name);
  log_warning("blob not kept",
              {{"bytes", bytes.size()}, {"kind", static_cast<int>(name.error().kind)}});
  return {};
}

Provider& Application::provider_for(const ModelRef& model) {
  const catalog::BuiltInRow* built_in = catalog_.find_built_in(model.provider);
  const bool own = built_in != nullptr && built_in->one_for_each_model;
  std::unique_ptr<Provider>& provider = providers_[own ? model::to_string(model) : model.provider];
  if (!provider && built_in != nullptr) provider = built_in->make(model.model);
  if (!provider)
    provider = std::make_unique<providers::HttpProvider>(catalog_, keys_, http::Patience{},
                                                         config_.handover);
  return *provider;
}

std::string Application::without_key() const {
  const catalog::BuiltInRow& row = catalog_.fallback();
  return std::string(row.name) + "/" + std::string(row.model);
}

bool Application::has_key(const ProviderRow& row) const {
  return !row.key_command.empty() ||
         keys_.has_any({row.key_variables.begin(), row.key_variables.end()});
}

std::string Application::default_model() const {
  for (const ProviderRow& row : catalog_.providers()) {
    if (row.local || !row.key_needed) continue;
    const bool usable = has_key(row);
    for (const ModelRow& model : catalog_.models())
      if (usable && model.provider == row.name)
        return std::string(row.name) + "/" + std::string(model.name);
  }
  return without_key();
}

// The model another program used may be nobody's here, have no key, or be gone.
bool Application::can_be_asked(const std::string& model) const {
  const std::size_t slash = std::min(model.find('/'), model.size());
  const ModelRef ref{model.substr(0, slash), model.substr(std::min(slash + 1, model.size()))};
  if (catalog_.find_built_in(ref.provider) != nullptr) return true;
  const ProviderRow* row = catalog_.find_provider(ref.provider);
  return row != nullptr && !ref.model.empty() && (!row->key_needed || has_key(*row)) &&
         catalog::ended_text(catalog_, ref, now_ms()).empty();
}

Agent::Settings Application::settings_for(const Conversation& conversation, Flags flags) const {
  const bool by_flag = flags == Flags::count;
  const std::string& given = conversation.state().system;  // with /system
  Agent::Settings settings{.system = given.empty() ? system_.text : given,
                           .surroundings = system_.surroundings,
                           .rules = config_.rules,
                           .max_calls = config_.max_turns};
  settings.rules.typed = typed_in(conversation.session());
  std::string model = config_.model;
  if (const std::string& last = conversation.state().model;
      !(by_flag && !invocation_.model.empty()) && !last.empty()) {
    if (conversation.state().origin.empty() || can_be_asked(last))
      model = last;
    else
      settings.notices.push_back(last + " cannot be asked here; going on with " +
                                 (model.empty() ? default_model() : model));
  }
  settings.model = catalog_.parse(model.empty() ? default_model() : model);
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
  for (const std::string& remark : instructions_.remarks()) settings.notices.push_back(remark);
  for (const std::string& damage : {grants_.damage(), rules_here_.damage()})
    if (!damage.empty()) settings.notices.push_back(damage);
  std::ranges::move(remarks_on(catalog_, settings.model), std::back_inserter(settings.notices));
  std::ranges::move(take_up_folders(conversation.session()), std::back_inserter(settings.notices));
  settings.compact_at = config_.compact_at;
  return settings;
}

int run(const Invocation& given) {
  Invocation invocation = given;
  if (invocation.home.empty()) invocation.home = configured_home();
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
  if (!invocation.print && attended()) offer_trust(invocation, places);
  Application application(invocation, places);
  return invocation.print ? print_mode(application, invocation)
                          : repl_mode(application, invocation);
}

}  // namespace skein::app
