// How an Application comes by its sub-agents, and how one is made for each of them.
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/application.h"
#include "core/project/skill_texts.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/tools/tools.h"

namespace skein::app {

using model::ModelRef, subagents::Definition, subagents::Order;

namespace {

// Claude Code's words for its own models, in definitions that were written for it: they mean
// something where an alias says so.
bool is_unknown_tier(const Definition& role, const catalog::Catalog& known) {
  const bool tier = role.model == "sonnet" || role.model == "opus" || role.model == "haiku";
  return tier && !known.aliases().contains(role.model);
}

// What --agents says.
std::vector<Definition> given_agents(const std::string& json) {
  std::vector<Definition> out;
  if (json.empty()) return out;
  const std::optional<Json> all = parse_json(json);
  if (!all || !all->is_object())
    throw Error("--agents takes a JSON object, {\"NAME\": {\"description\": …, \"prompt\": …}}",
                ExitStatus::usage);
  for (const auto& [name, given] : all->items()) {
    out.push_back(subagents::definition_from(name, dump(given)));
    if (!out.back().refusal.empty())
      throw Error("--agents: " + out.back().refusal, ExitStatus::usage);
    out.back().file = "--agents";
  }
  return out;
}

// What a sub-agent works with: an Application of its own.
class ApplicationWorker : public subagents::Worker {
 public:
  ApplicationWorker(const Invocation& invocation, const project::Places& places,
                    const Helper& helper, const Order& order)
      : application_(invocation, places, &helper), order_(order) {}

  store::SessionStore& store() override { return application_.store(); }
  agent::Agent& agent() override { return application_.agent(); }
  const std::string& workspace() const override { return application_.workspace(); }

  agent::Settings settings(const agent::Conversation& conversation) override {
    agent::Settings out = application_.settings_for(conversation, Application::Flags::do_not);
    const agent::Settings& asking = order_.settings;
    const Definition& role = order_.agent;
    if (!order_.goes_on || !role.model.empty()) out.model = asking.model;
    if (const std::optional<ModelRef> own = model_of(role)) {
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
    const auto cost = application_.catalog().cost(model, usage);
    return cost ? std::optional(cost->dollars) : std::nullopt;
  }

  std::function<void(const model::Event&)> masking(
      std::function<void(const model::Event&)> sink) override {
    return application_.masking(std::move(sink));
  }

 private:
  std::optional<ModelRef> model_of(const Definition& role) const {
    const catalog::Catalog& known = application_.catalog();
    if (role.model.empty() || is_unknown_tier(role, known)) return std::nullopt;
    return known.parse(role.model);
  }

  Application application_;
  const Order order_;
};

}  // namespace

void Application::set_up_agents() {
  if (config_.max_agents == 0) return;
  crew_ = std::make_unique<subagents::Crew>(subagents::Crew::Parts{
      .store = store_,
      .most = static_cast<std::size_t>(config_.max_agents),
      .budget = config_.agent_budget,
      .background = !invocation_.print && config_.background,
      .agents = [this] { return agents_; },
      .may_choose = [this](const std::string& model) { return may_choose_for_agents(model); },
      .hire = [this](const Order& order) { return hire(order); },
      .tell =
          [this](Id session, model::Entry news, std::string notice) {
            const std::string about =
                string_at(parse_json(news.meta).value_or(Json::object()), "origin");
            news_.put(session, {about, std::move(news), std::move(notice), config_.agents_wake});
          }});
  tools_.push_back(tools::agent_tool(
      [this](const tools::AgentRequest& request, const model::ToolPorts& ports) {
        return crew_->run(request, ports);
      },
      config_.background));
  look_for_agents();
}

// Those of --agents stand above all others.
bool Application::look_for_agents() {
  const std::string before = subagents::agent_list(agents_, std::string::npos);
  agent_remarks_.clear();
  agents_ = given_agents(invocation_.agents);
  for (Definition& each : project_.agents(agent_remarks_))
    if (std::ranges::find(agents_, each.name, &Definition::name) == agents_.end())
      agents_.push_back(std::move(each));
  return subagents::agent_list(agents_, std::string::npos) != before;
}

std::vector<std::string> Application::agent_names() const {
  std::vector<std::string> out;
  for (const Definition& each : agents_) out.push_back(each.name);
  return out;
}

// In at most one percent of the window, by the model that is asked first.
void Application::add_agents_to(SystemPrompt& system) const {
  constexpr std::int64_t most_tokens = 4000, bytes_per_token = 4;
  const std::size_t built_in = subagents::built_in().size();
  if (agents_.size() <= built_in &&
      std::ranges::all_of(agents_, [](const Definition& each) { return each.file.empty(); }))
    return;
  const std::int64_t window = first_window();
  const std::int64_t tokens = window > 0 ? std::min(most_tokens, window / 100) : most_tokens;
  const std::string list =
      subagents::agent_list(agents_, static_cast<std::size_t>(tokens * bytes_per_token));
  system.text += "\n\n" + list;
  system.surroundings.push_back({"the list of agents", list, true});
}

bool Application::may_choose_for_agents(const std::string& model) const {
  const ModelRef wanted = catalog_.parse(model);
  return std::ranges::any_of(config_.agent_models, [&](const std::string& each) {
    return model::to_string(catalog_.parse(each)) == model::to_string(wanted);
  });
}

void Application::choose_role() {
  look_for_agents();
  const auto found = std::ranges::find(agents_, invocation_.agent, &Definition::name);
  if (found == agents_.end()) {
    std::vector<std::string> names;
    for (const Definition& each : agents_) names.push_back(each.name);
    throw Error("there is no agent '" + invocation_.agent + "'; there are: " + listed(names),
                ExitStatus::usage);
  }
  role_ = *found;
  agents_.clear();
  if (!role_->model.empty() && invocation_.model.empty() && !is_unknown_tier(*role_, catalog_))
    config_.model = role_->model;
  if (!role_->thinking.empty() && invocation_.thinking.empty()) config_.thinking = role_->thinking;
  if (role_->mode) config_.rules.mode = subagents::stricter(config_.rules.mode, *role_->mode);
  if (role_->most_calls > 0) config_.max_turns = std::min(config_.max_turns, role_->most_calls);
}

void Application::keep_to_role(model::Tools& tools) const {
  if (role_)
    std::erase_if(tools,
                  [&](const model::Tool& tool) { return !subagents::has_tool(*role_, tool); });
}

void Application::read_skills_of_role(SystemPrompt& system) {
  for (const std::string& name : role_->skills) {
    const model::ToolOutcome read = project_.skills().read(name, {});
    if (read.is_error) continue;
    for (const model::ResultBlock& block : read.content)
      if (const auto* text = std::get_if<model::Text>(&block)) system.text += "\n\n" + text->text;
  }
}

// Copies what the new one needs here, in the thread of the one that asks. The tools of servers
// belong to it too: they run there.
subagents::MakeWorker Application::hire(const Order& order) const {
  Helper helper{.role = order.agent, .keys = keys_};
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
    return std::make_unique<ApplicationWorker>(invocation_, project_.places(), helper, order);
  };
}

void Application::take_services_of_agents(session::Services& services) {
  if (!crew_) return;
  services.agents = [this](Id session) {
    std::vector<session::AgentLine> out;
    for (const subagents::Line& line : crew_->lines(session)) {
      const std::int64_t until = line.progress.ended_ms > 0 ? line.progress.ended_ms : now_ms();
      out.push_back({.session = to_string(line.session),
                     .title = line.title,
                     .state = line.state,
                     .doing = line.progress.doing,
                     .amounts = subagents::amounts(line.progress),
                     .ms = line.progress.began_ms > 0 ? until - line.progress.began_ms : 0});
    }
    return out;
  };
  services.known_agents = [this] {
    look_for_agents();
    std::vector<session::KnownAgent> out;
    for (const Definition& each : agents_)
      out.push_back({each.name, each.description,
                     each.file.empty() ? "built in"
                     : each.of_project ? "project"
                                       : "you"});
    return out;
  };
  services.agent_remarks = [this] { return agent_remarks_; };
  services.agents_working = [this] { return crew_->working(); };
  services.agent_works_in = [this](Id session) { return crew_->works_in(session); };
  services.stop_agent = [this](std::string_view id) { return crew_->stop(id); };
}

}  // namespace skein::app
