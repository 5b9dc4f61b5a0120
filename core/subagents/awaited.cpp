#include "core/subagents/awaited.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "core/model/message.h"
#include "core/text/json.h"

namespace skein::subagents {

namespace {

constexpr std::string_view agent_origin = "agent:";
// How far back it is looked: opening a long session must stay quick.
constexpr std::size_t most_entries = 1000, most_payload = 1u << 20;

}  // namespace

std::string origin_of(Id session) { return std::string(agent_origin) + to_string(session); }

JsonText awaited_meta(Id session) { return dump({{"awaits", origin_of(session)}}); }

std::vector<Id> awaited_in(const agent::Conversation& conversation) {
  std::vector<Id> out;
  if (conversation.state().tool_calls == 0) return out;
  std::set<std::string> told;
  std::size_t seen = 0, bytes = 0;
  conversation.path_until([&](const model::Entry& entry) {
    if (entry.meta.find("\"agent:") != JsonText::npos) {
      const Json meta = parse_json(entry.meta).value_or(Json::object());
      if (const std::string origin = string_at(meta, "origin"); origin.starts_with(agent_origin))
        told.insert(origin);
      const std::string awaited = string_at(meta, "awaits");
      if (awaited.starts_with(agent_origin) && told.erase(awaited) == 0)
        if (const auto session = parse_id(std::string_view(awaited).substr(agent_origin.size())))
          out.push_back(*session);
    }
    bytes += entry.payload.size();
    return ++seen >= most_entries || bytes >= most_payload;
  });
  std::ranges::reverse(out);
  return out;
}

// It stands at the beginning.
std::optional<model::payload::SubAgent> sub_agent_in(store::SessionStore& store, Id session) {
  const auto first = store.load_session_entries(session, {.limit = 3});
  if (!first) return std::nullopt;
  for (const model::Entry& entry : *first)
    if (auto found = model::read_as<model::payload::SubAgent>(entry)) return found;
  return std::nullopt;
}

LeftWork left_work(store::SessionStore& store, Id session) {
  const agent::Conversation conversation(store, session);
  LeftWork out{.calls = conversation.state().tool_calls};
  if (const auto entry = sub_agent_in(store, session)) out.agent = entry->name;
  const std::vector<model::Entry>& path = conversation.path();
  const auto last = std::find_if(path.rbegin(), path.rend(), [](const model::Entry& entry) {
    return entry.type == model::type::message;
  });
  const auto message = last != path.rend() ? model::message_of(*last) : std::nullopt;
  if (!message || message->role != model::Role::assistant) return out;
  using model::Stop;
  out.ended = message->stop == Stop::stop || message->stop == Stop::length ||
              message->stop == Stop::refusal;
  if (out.ended) out.text = model::plain_text(*message);
  return out;
}

std::string how_to_resume(Id session) {
  const std::string id = to_string(session);
  return "All of that is kept in session " + id +
         ". It goes on there if you call `agent` with \"resume\": \"" + id + "\" and a prompt.";
}

}  // namespace skein::subagents
