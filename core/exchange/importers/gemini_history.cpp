#include "core/exchange/importers/gemini_history.h"

#include <algorithm>

#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/gemini_parts.h"

namespace skein::exchange::importers {

namespace {

// A checkpoint costs a few bytes for every message it names, and a place costs the whole message.
constexpr std::size_t most_places = 16;

template <class Each>
void each_part(const Json& message, const char* kind, Each each) {
  const Json& content = at(message, "content");
  if (const Json& alone = at(content, kind); alone.is_object()) each(alone);
  if (!content.is_array()) return;
  for (const Json& part : content)
    if (const Json& found = at(part, kind); found.is_object()) each(found);
}

bool has_part(const Json& message, const char* kind) {
  bool found = false;
  each_part(message, kind, [&](const Json&) { found = true; });
  return found;
}

// The same for the same words and calls, in whatever shape they are written.
std::string content_of(const Json& message, GeminiHistory::Kind kind) {
  std::string calls;
  const auto add = [&](const Json& call) {
    calls += short_hash({string_at(call, "id"), string_at(call, "name"), text_at(call, "args")});
  };
  if (const Json& made = at(message, "toolCalls"); made.is_array())
    for (const Json& call : made) add(call);
  if (calls.empty()) each_part(message, "functionCall", add);
  const std::string words = spoken_text(at(message, "content"));
  return short_hash({std::to_string(static_cast<int>(kind)), words,
                     words.empty() && calls.empty() ? text_at(message, "content") : "", calls},
                    24);
}

}  // namespace

std::vector<std::string> gemini_calls(const Json& message) {
  std::vector<std::string> out;
  const auto add = [&](const Json& call) {
    if (std::string id = string_at(call, "id"); !id.empty()) out.push_back(std::move(id));
  };
  if (const Json& made = at(message, "toolCalls"); made.is_array())
    for (const Json& call : made) add(call);
  if (out.empty()) each_part(message, "functionCall", add);
  return out;
}

GeminiHistory::Kind GeminiHistory::kind_of(const Json& message) {
  const std::string type = string_at(message, "type");
  const Json& content = at(message, "content");
  if (type == "gemini") return Kind::answer;  // though it may be empty for now
  if (type != "user") return spoken_text(content).empty() ? Kind::nothing : Kind::notice;
  if (has_part(message, "functionResponse")) return Kind::results;
  if (spoken_text(content).starts_with("<session_context>")) return Kind::context;
  return content.is_null() || content.empty() || content == "" ? Kind::nothing : Kind::prompt;
}

void GeminiHistory::add(const Json& message, std::string_view text) {
  const std::size_t index = learn(message, text, false, last_place());
  if (!messages_[index].current) append(index);
}

void GeminiHistory::rewind_to(std::string_view id) {
  while (!said_.empty()) {
    Message& dropped = messages_[said_.back().message];
    dropped.current = false;
    said_.pop_back();
    if (dropped.id == id) break;
  }
}

void GeminiHistory::replace_all(const Json& messages) {
  for (const Said& each : said_) messages_[each.message].current = false;
  said_.clear();
  for (const Json& message : messages) {
    if (!message.is_object()) continue;
    const std::size_t index = learn(message, {}, true, last_place());
    if (!messages_[index].current) append(index);
  }
}

std::optional<std::size_t> GeminiHistory::known(const Json& message, const std::string& id,
                                                const std::string& content, bool checkpoint,
                                                Place parent) const {
  if (const auto found = by_id_.find(id); found != by_id_.end()) return found->second;
  if (!checkpoint) return std::nullopt;
  // Rewritten under another id: the same call, or the same words in the same place.
  for (const std::string& call : gemini_calls(message))
    if (const auto found = by_call_.find(call); found != by_call_.end()) return found->second;
  const auto same = by_content_.find(std::to_string(parent ? *parent + 1 : 0) + ":" + content);
  return same == by_content_.end() ? std::nullopt : std::optional(same->second);
}

// The index of a message that is said here. The first record counts, since what a checkpoint
// writes has lost the tokens and the model; but one that replaces itself knows more.
std::size_t GeminiHistory::learn(const Json& message, std::string_view text, bool checkpoint,
                                 Place parent) {
  const Kind kind = kind_of(message);
  const std::string content = content_of(message, kind);
  std::string id = string_at(message, "id");
  if (id.empty()) id = "-" + short_hash({content, string_at(message, "timestamp")});
  if (const auto found = known(message, id, content, checkpoint, parent)) {
    Message& old = messages_[*found];
    if (checkpoint || old.kind != kind) return *found;
    if (old.content != content) {
      old.content = content;
      ++old.form;
    }
    old.record = std::string(text);
    remember_calls(message, *found);
    return *found;
  }
  const std::size_t index = messages_.size();
  messages_.push_back({.id = id,
                       .kind = kind,
                       .record = text.empty() ? dump(message) : std::string(text),
                       .content = content});
  by_id_.emplace(std::move(id), index);
  remember_calls(message, index);
  return index;
}

void GeminiHistory::remember_calls(const Json& message, std::size_t index) {
  for (std::string& call : gemini_calls(message)) by_call_.emplace(std::move(call), index);
  each_part(message, "functionResponse", [&](const Json& response) {
    if (std::string call = string_at(response, "id"); !call.empty())
      by_response_.emplace(std::move(call), index);
  });
}

void GeminiHistory::append(std::size_t index) {
  Message& message = messages_[index];
  message.current = true;
  Said said{.message = index, .after = last_place()};
  if (message.kind != Kind::results && message.kind != Kind::nothing) {
    const std::size_t node = node_for(index, said.after);
    // What nobody said is nobody's parent: it changes with every start of the program, and what
    // follows must not.
    if (message.kind == Kind::answer || message.kind == Kind::prompt) said.after = node;
  }
  said_.push_back(said);
}

std::size_t GeminiHistory::node_for(std::size_t index, Place parent) {
  Message& message = messages_[index];
  const bool moves = message.kind == Kind::answer || message.kind == Kind::prompt;
  const std::size_t below = moves && parent ? *parent + 1 : 0;
  const auto key = std::pair(index, below);
  if (const auto found = by_place_.find(key); found != by_place_.end()) return found->second;
  if (message.places == most_places) return by_place_.lower_bound({index, 0})->second;
  const std::size_t node = nodes_.size();
  std::string id = message.id;
  if (message.places++ > 0) id += "@" + short_hash({parent ? nodes_[*parent].id : ""}, 8);
  nodes_.push_back({.id = std::move(id), .message = index, .parent = parent});
  if (parent) nodes_[*parent].has_child = true;
  by_place_.emplace(key, node);
  by_content_.emplace(std::to_string(below) + ":" + message.content, index);
  return node;
}

std::optional<std::size_t> GeminiHistory::leaf() const {
  return said_.empty() ? std::nullopt : said_.back().after;
}

const GeminiHistory::Message* GeminiHistory::response_to(std::string_view call) const {
  const auto found = by_response_.find(std::string(call));
  return found == by_response_.end() ? nullptr : &messages_[found->second];
}

}  // namespace skein::exchange::importers
