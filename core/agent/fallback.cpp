#include "core/agent/fallback.h"

#include <algorithm>

#include "core/model/payloads.h"
#include "core/text/log.h"

namespace skein::agent {

namespace {

constexpr std::int64_t rest_ms = 10 * 60 * 1000;

}  // namespace

void Fallback::begin(Turn& turn) {
  if (!turn.failed_models.empty()) return;
  const auto found = replacements_.find(model::to_string(turn.settings.model));
  if (found == replacements_.end()) return;
  if (now_ms() >= found->second.until) return (void)replacements_.erase(found);
  turn.failed_models.push_back(turn.settings.model);
  turn.tell(model::Notice::Level::info, model::to_string(found->second.model) + " answers, since " +
                                            found->first + " could not a few minutes ago");
  switch_to(turn, found->second.model);
}

bool Fallback::next(Turn& turn, const std::string& why) {
  turn.failed_models.push_back(turn.settings.model);
  const model::ModelRef chosen = turn.failed_models.front();
  for (model::ModelRef model : parts_.fallbacks(chosen)) {
    model.thinking = chosen.thinking;
    if (std::ranges::find(turn.failed_models, model) != turn.failed_models.end()) continue;
    if (!may_ask(turn, model, why)) return false;
    replacements_[model::to_string(chosen)] = {model, now_ms() + rest_ms};
    switch_to(turn, model);
    return true;
  }
  replacements_.erase(model::to_string(chosen));
  return false;
}

void Fallback::end(Turn& turn) {
  if (turn.failed_models.empty()) return;
  turn.settings.model = turn.failed_models.front();
  turn.commit(changes_to(turn.conversation.state(), turn.settings.model));
}

// Another provider will see the whole conversation, so the user is asked once in each session. With
// nobody to ask, the configuration has to do.
bool Fallback::may_ask(Turn& turn, const model::ModelRef& model, const std::string& why) {
  const std::string name = model::to_string(model);
  const bool stays = model.provider == turn.failed_models.front().provider;
  const std::pair agreement(turn.conversation.session(), model.provider);
  if (!stays && turn.ports.ask && !agreed_.contains(agreement)) {
    const model::Answer answer = turn.ports.ask(
        {.text = "ask " + name + " instead?",
         .detail = why + "\nThis sends the conversation to " + model.provider + "."});
    if (answer.choice == model::Answer::Choice::no) return false;
    agreed_.insert(agreement);
    return true;
  }
  turn.tell(model::Notice::Level::warning,
            why + "; asking " + name + " instead" +
                (stays ? "" : ", which sends this conversation to " + model.provider));
  return true;
}

void Fallback::switch_to(Turn& turn, const model::ModelRef& model) {
  log_warning("fallback",
              {{"from", model::to_string(turn.settings.model)}, {"to", model::to_string(model)}});
  model::Entry entry = model::make_entry(model::payload::ModelChange{
      model.provider, model.model, std::string(model::payload::ModelChange::fallback)});
  entry.run_id = turn.run_id;
  turn.settings.model = model;
  turn.commit({std::move(entry)});
}

}  // namespace skein::agent
