#include "core/exchange/importers/message_giver.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/exchange/importers/claude_text.h"

namespace skein::exchange::importers {

namespace {

constexpr std::size_t most_open_calls = 4096;  // each result is looked for among them

}  // namespace

std::string MessageGiver::parent_of(const Place& place) const {
  const auto found = given_.find(place.parent);
  return place.parent.empty() || found == given_.end() ? current_ : found->second;
}

// A message that is there twice is given once; ids are made different where they must be.
bool MessageGiver::is_new(Place& place) { return given_.emplace(place.id, place.id).second; }

void MessageGiver::add(ForeignEntry entry) {
  if (!std::holds_alternative<ForeignContext>(entry.content)) current_ = entry.id;
  receiver_.add(std::move(entry));
}

void MessageGiver::user(Place place, std::vector<model::Block> blocks) {
  std::vector<model::ToolResult> found;
  std::vector<model::Block> rest;
  for (model::Block& block : blocks) {
    if (auto* const result = std::get_if<model::ToolResult>(&block))
      found.push_back(std::move(*result));
    else if (!std::holds_alternative<model::ToolUse>(block) &&
             !std::holds_alternative<model::Thinking>(block))
      rest.push_back(std::move(block));
  }
  if ((found.empty() && rest.empty()) || !is_new(place)) return;
  const bool mixed = !found.empty() && !rest.empty();
  if (!found.empty()) results(place, std::move(found));
  if (rest.empty()) return;
  give_results();
  const std::string parent = mixed ? current_ : parent_of(place);
  if (mixed) {
    std::string& given = given_[place.id];
    given = place.id += "/text";
  }
  ClaudePrompt prompt = divided(std::move(rest));
  std::size_t count = 0;
  for (ForeignContext& context : prompt.contexts) {
    const bool alone = prompt.content.empty() && count == 0;
    const std::string id = alone ? place.id : place.id + "/context-" + std::to_string(count + 1);
    ++count;
    add({.id = id, .parent = parent, .time = place.time, .content = std::move(context)});
  }
  if (prompt.content.empty()) {
    given_[place.id] = parent;  // what follows it follows the message before
    return;
  }
  add({.id = std::move(place.id),
       .parent = parent,
       .time = std::move(place.time),
       .content = model::Message{.content = std::move(prompt.content)},
       .raw = std::move(place.raw)});
}

void MessageGiver::results(const Place& place, std::vector<model::ToolResult> found) {
  // Those of another branch are other results.
  if (waiting_ && !place.parent.empty())
    if (const std::string parent = parent_of(place);
        parent != waiting_->id && parent != waiting_->parent)
      give_results();
  for (model::ToolResult& result : found) {
    if (result.tool_use_id.empty() && !open_calls_.empty())
      result.tool_use_id = open_calls_.front();
    if (result.tool_use_id.empty()) {
      receiver_.lose("tool results that answer no call");
      continue;
    }
    if (const auto call = std::ranges::find(open_calls_, result.tool_use_id);
        call != open_calls_.end())
      open_calls_.erase(call);
    if (!waiting_)
      waiting_ = {.id = place.id,
                  .parent = parent_of(place),
                  .time = place.time,
                  .content = model::Message{.role = model::Role::tool},
                  .raw = place.raw};
    std::get<model::Message>(waiting_->content).content.emplace_back(std::move(result));
  }
  if (waiting_) given_[place.id] = waiting_->id;
}

void MessageGiver::give_results() {
  if (!waiting_) return;
  ForeignEntry entry = std::move(*waiting_);
  waiting_.reset();
  add(std::move(entry));
}

void MessageGiver::answer(Place place, model::Message message) {
  std::erase_if(message.content, [](const model::Block& block) {
    return std::holds_alternative<model::ToolResult>(block);
  });
  if ((message.content.empty() && message.error.empty() && place.raw.empty()) || !is_new(place))
    return;
  give_results();
  std::string parent = parent_of(place);
  message.role = model::Role::assistant;
  if (message.stop == model::Stop::none) message.stop = end_of(message);
  open_calls_.clear();
  for (const model::ToolUse* call : model::tool_uses(message))
    if (open_calls_.size() < most_open_calls) open_calls_.push_back(call->id);
  add({.id = std::move(place.id),
       .parent = std::move(parent),
       .time = std::move(place.time),
       .content = std::move(message),
       .raw = std::move(place.raw)});
}

void MessageGiver::compaction(Place place, std::string summary) {
  if (!is_new(place)) return;
  give_results();
  add({.id = std::move(place.id),
       .parent = current_,
       .time = std::move(place.time),
       .content =
           model::Payload(model::payload::CompactionSummary{.summary = std::move(summary)})});
}

void MessageGiver::context(Place place, ForeignContext context) {
  if (!is_new(place)) return;
  give_results();
  given_[place.id] = current_;
  add({.id = std::move(place.id),
       .parent = current_,
       .time = std::move(place.time),
       .content = std::move(context)});
}

void MessageGiver::make_up_results() {
  if (open_calls_.empty()) return;
  std::vector<model::ToolResult> made;
  for (const std::string& call : open_calls_)
    made.push_back({.tool_use_id = call, .content = {model::Text{"[not recorded]"}}});
  Place place{.id = current_ + "/results"};
  if (is_new(place)) results(place, std::move(made));
}

void MessageGiver::finish() {
  give_results();
  receiver_.end(current_);
}

}  // namespace skein::exchange::importers
