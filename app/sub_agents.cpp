#include "app/sub_agents.h"

#include <algorithm>
#include <utility>

#include "core/text/json.h"
#include "core/text/text.h"
#include "core/tools/tools.h"

namespace skein::app {

using model::ModelRef, subagents::Definition, subagents::Order;

namespace {

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

}  // namespace

// Claude Code's words for its own models, in definitions that were written for it, mean something
// where an alias says so.
std::optional<ModelRef> model_of(const Definition& role, const catalog::Catalog& known) {
  const bool tier = role.model == "sonnet" || role.model == "opus" || role.model == "haiku";
  if (role.model.empty() || (tier && !known.aliases().contains(role.model))) return std::nullopt;
  return known.parse(role.model);
}

std::optional<model::Tool> SubAgents::start() {
  const config::Config& config = parts_.config;
  if (config.max_agents == 0) return std::nullopt;
  crew_ = std::make_unique<subagents::Crew>(subagents::Crew::Parts{
      .store = parts_.store,
      .most = static_cast<std::size_t>(config.max_agents),
      .budget = config.agent_budget,
      .background = !parts_.invocation.print && config.background,
      .agents = [this] { return agents_; },
      .may_choose = [this](const std::string& model) { return may_choose(model); },
      .hire = parts_.hire,
      .tell =
          [this](Id session, model::Entry news, std::string notice) {
            const std::string about =
                string_at(parse_json(news.meta).value_or(Json::object()), "origin");
            parts_.news.put(session,
                            {about, std::move(news), std::move(notice), parts_.config.agents_wake});
          }});
  look();
  return tools::agent_tool(
      [this](const tools::AgentRequest& request, const model::ToolPorts& ports) {
        return crew_->run(request, ports);
      },
      config.background);
}

// Those of --agents stand above all others.
bool SubAgents::look() {
  const std::string before = subagents::agent_list(agents_, std::string::npos);
  remarks_.clear();
  agents_ = given_agents(parts_.invocation.agents);
  for (Definition& each : parts_.project.agents(remarks_))
    if (std::ranges::find(agents_, each.name, &Definition::name) == agents_.end())
      agents_.push_back(std::move(each));
  return subagents::agent_list(agents_, std::string::npos) != before;
}

Definition SubAgents::take(const std::string& name) {
  look();
  const auto found = std::ranges::find(agents_, name, &Definition::name);
  if (found == agents_.end())
    throw Error("there is no agent '" + name + "'; there are: " + listed(names()),
                ExitStatus::usage);
  Definition out = *found;
  agents_.clear();
  return out;
}

std::vector<std::string> SubAgents::names() const {
  std::vector<std::string> out;
  for (const Definition& each : agents_) out.push_back(each.name);
  return out;
}

// In at most one percent of the window, by the model that is asked first.
void SubAgents::add_to(SystemPrompt& system, std::int64_t window) const {
  constexpr std::int64_t most_tokens = 4000, bytes_per_token = 4;
  const std::size_t built_in = subagents::built_in().size();
  if (agents_.size() <= built_in &&
      std::ranges::all_of(agents_, [](const Definition& each) { return each.file.empty(); }))
    return;
  const std::int64_t tokens = window > 0 ? std::min(most_tokens, window / 100) : most_tokens;
  const std::string list =
      subagents::agent_list(agents_, static_cast<std::size_t>(tokens * bytes_per_token));
  system.text += "\n\n" + list;
  system.surroundings.push_back({"the list of agents", list, true});
}

bool SubAgents::may_choose(const std::string& model) const {
  const ModelRef wanted = parts_.catalog.parse(model);
  return std::ranges::any_of(parts_.config.agent_models, [&](const std::string& each) {
    return model::to_string(parts_.catalog.parse(each)) == model::to_string(wanted);
  });
}

void SubAgents::offer(session::Services& services) {
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
    look();
    std::vector<session::KnownAgent> out;
    for (const Definition& each : agents_)
      out.push_back({each.name, each.description,
                     each.file.empty() ? "built in"
                     : each.of_project ? "project"
                                       : "you"});
    return out;
  };
  services.agent_remarks = [this] { return remarks_; };
  services.agents_working = [this] { return crew_->working(); };
  services.agent_works_in = [this](Id session) { return crew_->works_in(session); };
  services.stop_agent = [this](std::string_view id) { return crew_->stop(id); };
}

}  // namespace skein::app
