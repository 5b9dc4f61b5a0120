#include "core/agent/plan_mode.h"

#include "core/context/beginning.h"
#include "core/handover/compatibility.h"
#include "core/plan/presented.h"

namespace skein::agent {

namespace {

// The first half for every model, then how it ends.
constexpr const char* on_text =
    "Plan mode is on: do not change anything; calls that would change something are refused. Find "
    "out what you need with the tools that only read, and ask the user what only they can decide. ";
constexpr const char* present_text =
    "Then call present_plan with a plan that names the files and the steps. Do not also ask "
    "whether to go ahead: the user approves or rejects the plan that you present.";
constexpr const char* say_text =
    "Then give a plan that names the files and the steps as your answer.";
constexpr const char* over_text =
    "Plan mode is over: you may change things again, as far as the user permits it.";

bool is_on(const Turn& turn) { return turn.settings.rules.mode == permission::Mode::plan; }

void switch_to(Turn& turn, const model::ModelRef& model) {
  turn.settings.model = model;
  std::vector<model::Entry> entries = changes_to(turn.conversation.state(), model);
  for (model::Entry& entry : entries) entry.run_id = turn.run_id;
  if (!entries.empty()) turn.commit(std::move(entries));
}

}  // namespace

bool PlanMode::is_known(std::span<const model::Entry> path) {
  for (const model::Entry& entry : path | std::views::reverse) {
    if (entry.type == model::type::runtime_init) return false;  // news before it is not sent
    if (plan::approved_in(entry)) return false;
    if (const std::optional<context::Said> said = context::changes_in(entry))
      if (const auto found = said->find(name); found != said->end()) return !found->second.empty();
  }
  return false;
}

std::vector<model::Entry> PlanMode::news(bool known, bool is_on, bool can_present) {
  if (known == is_on) return {};
  const std::string text =
      is_on ? std::string(on_text) + (can_present ? present_text : say_text) : over_text;
  return {context::change_entry(text, {{name, is_on ? "on" : ""}})};
}

void PlanMode::hand_over(Turn& turn, const model::ModelRef& model, const std::string& what) const {
  turn.tell(model::Notice::Level::info, model::to_string(model) + " " + what);
  if (!parts_.target) return;
  const handover::Compatibility cost = handover::check_compatibility(
      context::messages_of(turn.conversation.path(), turn.conversation.state().redacted),
      parts_.target(model));
  for (const std::string& warning : cost.warnings)
    turn.tell(model::Notice::Level::warning, warning);
}

void PlanMode::choose_model(Turn& turn) {
  const Id session = turn.conversation.session();
  if (is_on(turn)) {
    if (!turn.settings.plan_model || turn.chosen_model) return;
    model::ModelRef model = *turn.settings.plan_model;
    model.thinking = turn.settings.model.thinking;
    if (model == turn.settings.model) return;
    if (informed_.insert(session).second)
      hand_over(turn, model, "answers while plan mode is on (plan-model)");
    turn.chosen_model = turn.settings.model;
    return switch_to(turn, model);
  }
  if (turn.chosen_model) {
    turn.failed_models.clear();  // they failed in place of the one for plans
    switch_to(turn, *std::exchange(turn.chosen_model, std::nullopt));
  }
  if (informed_.erase(session) > 0) hand_over(turn, turn.settings.model, "answers again");
}

void PlanMode::end(Turn& turn) {
  if (turn.chosen_model) switch_to(turn, *std::exchange(turn.chosen_model, std::nullopt));
}

}  // namespace skein::agent
