#include "core/model/state.h"

#include <charconv>
#include <cstring>

#include "core/model/attachments.h"
#include "core/text/json.h"

namespace skein::model {

namespace {

std::optional<Json> payload_of(std::string_view body) {
  // `body` may have `,"meta":…` behind the payload; as members of one object both parse.
  const std::string wrapped = "{\"payload\":" + std::string(body) + "}";
  std::optional<Json> json = parse_json(wrapped);
  if (!json) return std::nullopt;
  return std::optional<Json>(at(*json, "payload"));
}

std::optional<Usage> usage_in(const Json& message) {
  const Json& usage = at(message, "usage");
  if (!usage.is_object()) return std::nullopt;
  return Usage{int_at(usage, "input"), int_at(usage, "output"), int_at(usage, "cacheRead"),
               int_at(usage, "cacheWrite"), int_at(usage, "reasoning")};
}

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

// "word"
bool take_word(std::string_view& text, std::string_view& word) {
  if (!take(text, "\"")) return false;
  std::size_t end = 0;
  while (end < text.size() && text[end] != '"' && text[end] != '\\') ++end;
  if (end == text.size() || text[end] == '\\') return false;
  word = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

bool take_number(std::string_view& text, std::int64_t& number) {
  const auto [stopped, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
  return failed == std::errc{};
}

// What stands behind an assistant's content, in exactly the form our own writer gives it. A third
// of a long session's lines have it, and a JSON parser takes thirty times as long.
struct Footer {
  std::string_view provider{}, model{};
  std::optional<Usage> usage{};
  std::int64_t duration_ms = 0;
};
bool read_footer(std::string_view text, Footer& out) {
  std::string_view stop;
  if (!take(text, R"(,"provider":)") || !take_word(text, out.provider)) return false;
  if (take(text, R"(,"model":)") && !take_word(text, out.model)) return false;
  if (take(text, R"(,"stopReason":)") && !take_word(text, stop)) return false;
  if (take(text, R"(,"usage":{"input":)")) {
    Usage& usage = out.usage.emplace();
    if (!take_number(text, usage.input) || !take(text, R"(,"output":)") ||
        !take_number(text, usage.output) || !take(text, R"(,"cacheRead":)") ||
        !take_number(text, usage.cache_read) || !take(text, R"(,"cacheWrite":)") ||
        !take_number(text, usage.cache_write) ||
        (take(text, R"(,"reasoning":)") && !take_number(text, usage.reasoning)) || !take(text, "}"))
      return false;
  }
  if (take(text, R"(,"durationMs":)") && !take_number(text, out.duration_ms)) return false;
  return text == "}";
}

void count_reply(SessionState& state, const Footer& reply) {
  const std::string model = std::string(reply.provider) + "/" + std::string(reply.model);
  if (model.size() > 1) state.model = model;
  state.duration_ms += reply.duration_ms;
  if (reply.usage) state.usage[model] += *reply.usage;
}

// What is counted of an answer stands behind its content, which may be long. False: not in our
// writer's form.
bool count_answer(SessionState& state, std::string_view content) {
  const void* const last = ::memrchr(content.data(), ']', content.size());
  if (last == nullptr) return false;
  const auto end = static_cast<std::size_t>(static_cast<const char*>(last) - content.data()) + 1;
  if (Footer footer; read_footer(content.substr(end), footer)) {
    count_reply(state, footer);
    return true;
  }
  // Nothing is counted of one that has nothing there.
  return content.substr(end) == "}" && bracketed_length(content) == end;
}

void count_message(SessionState& state, std::string_view body) {
  // Our own writer puts the role first, so user and tool messages need no parse once the title is
  // known; they are two thirds of a long session.
  if (body.starts_with(R"({"role":"tool")")) {
    ++state.tool_calls;
    return;
  }
  if (body.starts_with(R"({"role":"user","continuation":true)")) return;
  const bool user = body.starts_with(R"({"role":"user")");
  if (user && !state.title.empty()) {
    ++state.messages;
    return;
  }
  if (constexpr std::string_view opening = R"({"role":"assistant","content":)";
      body.starts_with(opening) && count_answer(state, body.substr(opening.size())))
    return;
  const std::optional<Json> json = payload_of(body);
  if (!json) return;

  const std::string role = string_at(*json, "role");
  if (role == "user" && bool_at(*json, "continuation")) return;
  if (role == "user") {
    ++state.messages;
    if (state.title.empty())
      if (const auto message = message_from_json(dump(*json)))
        state.title = title_from(words_alone(*message));
  } else if (role == "tool") {
    ++state.tool_calls;
  } else if (role == "assistant") {
    const std::string provider = string_at(*json, "provider"), model = string_at(*json, "model");
    count_reply(state, {provider, model, usage_in(*json), int_at(*json, "durationMs")});
  }
}

// A summary that a model wrote was paid for like an answer.
void count_summary(SessionState& state, std::string_view body) {
  const std::optional<Json> json = payload_of(body);
  if (const auto usage = json ? usage_in(*json) : std::nullopt)
    state.usage[string_at(*json, "provider") + "/" + string_at(*json, "model")] += *usage;
}

void grow_tree(SessionState& state, const EntryFacts& entry) {
  if (entry.parent) state.leaves.remove(*entry.parent);
  state.leaves.push_back(entry.id);
  state.tail = state.head = entry.id;
  state.head_at = entry.at;
}

using Payload = const Json&;
using CustomFold = void (*)(SessionState&, Payload);

std::optional<Id> id_at(Payload payload, std::string_view key) {
  return parse_id(string_at(payload, key));
}

void fold_head(SessionState& state, Payload payload) {
  if (const auto id = id_at(payload, "entryId")) {
    state.head = id;
    state.head_at = 0;  // an older entry: found when it is needed
  }
}
void fold_title(SessionState& state, Payload payload) {
  state.title = string_at(payload, "text");
  state.title_given = true;
}
void fold_key(SessionState& state, Payload payload) { state.key = string_at(payload, "key"); }
void fold_snapshot(SessionState& state, Payload payload) {
  const std::string name = string_at(payload, "name");
  if (const auto id = id_at(payload, "entryId"))
    state.snapshots[name] = *id;
  else
    state.snapshots.erase(name);
}
void fold_label(SessionState& state, Payload payload) {
  const auto id = id_at(payload, "entryId");
  const std::string text = string_at(payload, "text");
  if (!id) return;
  if (text.empty())
    state.labels.erase(*id);
  else
    state.labels[*id] = text;
}
void fold_permissions(SessionState& state, Payload payload) {
  state.permissions.clear();
  for (const Json& rule : at(payload, "rules"))
    if (rule.is_string()) state.permissions.push_back(rule.get<std::string>());
}

constexpr std::pair<std::string_view, CustomFold> custom_folds[] = {
    {"head", fold_head},   {"title", fold_title},       {"key", fold_key},
    {"label", fold_label}, {"snapshot", fold_snapshot}, {"permissions", fold_permissions},
};

void fold_custom(SessionState& state, Payload payload) {
  const std::string kind = string_at(payload, "kind");
  for (const auto& [known, function] : custom_folds)
    if (known == kind) return function(state, payload);
}
void fold_model(SessionState& state, Payload payload) {
  const std::string provider = string_at(payload, "provider");
  const std::string model = string_at(payload, "model");
  state.model = provider.empty() ? model : provider + "/" + model;
}
void fold_thinking(SessionState& state, Payload payload) {
  state.thinking = string_at(payload, "level");
}
void fold_system(SessionState& state, Payload payload) {
  state.system = string_at(payload, "text");
}
void fold_redaction(SessionState& state, Payload payload) {
  if (const auto id = id_at(payload, "targetEntryId")) state.redacted.insert(*id);
}

constexpr std::pair<std::string_view, CustomFold> folds[] = {
    {type::custom, fold_custom},
    {type::model_change, fold_model},
    {type::thinking_level_change, fold_thinking},
    {type::system_prompt_override, fold_system},
    {type::redaction, fold_redaction},
};

}  // namespace

Usage total_usage(const SessionState& state) {
  Usage total;
  for (const auto& [model, usage] : state.usage) total += usage;
  return total;
}

EntryFacts facts_of(const Entry& entry, Position at) {
  return {entry.id, entry.parent, entry.type, entry.timestamp, entry.payload, at};
}

void fold(SessionState& state, const EntryFacts& entry) {
  if (entry.type == type::session_header) return;
  ++state.entries;
  if (!entry.timestamp.empty()) state.updated_at = entry.timestamp;
  if (!is_marginal(entry.type)) {
    grow_tree(state, entry);
    if (entry.type == type::message) count_message(state, entry.body);
    if (entry.type == type::compaction_summary) count_summary(state, entry.body);
    if (entry.type == type::runtime_init) state.runtime_init = entry.at;
    return;
  }
  for (const auto& [known, function] : folds)
    if (known == entry.type)
      if (const auto payload = payload_of(entry.body)) function(state, *payload);
}

std::string title_from(std::string_view prompt) {
  // Without C0, DEL and C1: a title goes to places that only expect words.
  std::string words;
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    const auto byte = static_cast<unsigned char>(prompt[i]);
    const auto next = i + 1 < prompt.size() ? static_cast<unsigned char>(prompt[i + 1]) : 0u;
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0)
      ++i;
    else if (byte >= ' ' ? byte != 0x7F : byte == '\n' || byte == '\t')
      words += prompt[i];
  }
  return preview(message_entry(user_message(words)), 60);
}

}  // namespace skein::model
