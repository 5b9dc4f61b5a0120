#include "repl/status/facts.h"

#include <algorithm>

#include "core/model/entry.h"
#include "core/model/state.h"
#include "core/project/git_files.h"

namespace skein::status {

namespace {

// Nothing is known behind a summary: the context is another one since.
std::optional<model::Usage> usage_at_the_end(const std::vector<model::Entry>& path) {
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry) {
    if (entry->type == model::type::compaction_summary) return std::nullopt;
    if (entry->type != model::type::message || entry->payload.find("\"usage\"") == JsonText::npos)
      continue;  // not worth reading
    if (const auto message = model::message_of(*entry);
        message && message->role == model::Role::assistant && message->usage)
      return message->usage;
  }
  return std::nullopt;
}

// Nothing: some of it cannot be told.
std::optional<session::Cost> cost_of_session(const model::SessionState& state,
                                             const session::Services& services) {
  std::optional<session::Cost> sum;
  for (const auto& [model, usage] : state.usage) {
    const std::optional<session::Cost> cost = services.cost(model, usage);
    if (!cost) return std::nullopt;
    const session::Cost before = sum.value_or(session::Cost{});
    sum = session::Cost{before.dollars + cost->dollars, before.at_least || cost->at_least};
  }
  return sum;
}

}  // namespace

std::optional<model::Usage> FactFinder::last_usage() {
  const agent::Conversation& conversation = parts_.session.conversation();
  if (conversation.head() != head_) {
    head_ = conversation.head();
    last_ = usage_at_the_end(conversation.path());
  }
  return last_;
}

Facts FactFinder::find() {
  session::Session& session = parts_.session;
  const agent::Conversation& conversation = session.conversation();
  const model::SessionState& state = conversation.state();
  Facts facts{.session = to_string(conversation.session()),
              .key = conversation.record().key,
              .title = state.title,
              .transcript = parts_.transcript(conversation.session()),
              .folder = session.workspace(),
              .git = project::git_branch(session.workspace()),
              .model = session.settings().model,
              .mode = session.settings().rules.mode,
              .window = parts_.window(session.settings().model),
              .last = last_usage(),
              .all = model::total_usage(state),
              .cost = cost_of_session(state, session.services()),
              .worked_ms = state.duration_ms,
              .branches = state.leaves.size()};
  if (const std::optional<Id> head = conversation.head()) {
    facts.head = to_string(*head);
    const auto ours = std::ranges::find(state.leaves, *head);
    if (ours != state.leaves.end())
      facts.branch = static_cast<std::size_t>(ours - state.leaves.begin()) + 1;
  }
  return facts;
}

}  // namespace skein::status
