#include "core/model/entry.h"

#include "core/model/usage_json.h"
#include "core/text/json.h"

namespace skein::model {

namespace {

constexpr std::array marginal_types{type::redaction, type::model_change,
                                    type::thinking_level_change, type::system_prompt_override,
                                    type::message_delta_batch};

// Whitespace runs become one space; ends after `characters` code points with an ellipsis.
std::string one_line(std::string_view text, std::size_t characters) {
  std::string out;
  std::size_t count = 0;
  bool space = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
      space = !out.empty();
      continue;
    }
    const bool starts_character = (byte & 0xC0) != 0x80;
    if (starts_character && count + (space ? 1 : 0) >= characters) return out + "…";
    if (space) out += ' ', ++count;
    space = false;
    out += text[i];
    if (starts_character) ++count;
  }
  return out;
}

std::string words_of(const Message& message) {
  if (std::string text = words_alone(message); !text.empty()) return text;
  for (const Block& block : message.content) {
    if (const auto* call = std::get_if<ToolUse>(&block)) return call->name + " " + call->input;
    if (const auto* thinking = std::get_if<Thinking>(&block)) return thinking->thinking;
    if (const auto* result = std::get_if<ToolResult>(&block)) {
      if (was_refused(*result)) return refusal_words(*result);
      for (const ResultBlock& part : result->content)
        if (const auto* text = std::get_if<Text>(&part))
          return (result->is_error ? "failed: " : "") + text->text;
    }
  }
  return message.error;
}

}  // namespace

Entry make_entry(std::string_view type, JsonText payload) {
  return Entry{.id = random_id(),
               .type = std::string(type),
               .timestamp = now_utc(),
               .payload = std::move(payload)};
}

Entry message_entry(const Message& message, JsonText meta) {
  Entry entry = make_entry(type::message, to_json(message));
  entry.meta = std::move(meta);
  return entry;
}

Entry informing_entry(std::string text, JsonText meta) {
  Message message = user_message(std::move(text));
  message.continuation = true;
  return message_entry(message, std::move(meta));
}

std::optional<Message> message_of(const Entry& entry) {
  return entry.type == type::message ? message_from_json(entry.payload) : std::nullopt;
}

bool is_marginal(std::string_view type) {
  return type == type::custom || std::ranges::find(marginal_types, type) != marginal_types.end();
}

bool tells_changes(const Entry& entry) { return entry.meta.starts_with(R"({"changes":)"); }

bool tells_todo(const Entry& entry) {
  return entry.meta.starts_with(R"({"todo":)") &&
         entry.payload.starts_with(R"({"role":"user","continuation":true)");
}

bool is_from_hook(const Entry& entry) { return entry.meta.starts_with(R"({"origin":"hook:)"); }

JsonText hook_meta(std::string_view event) {
  return dump({{"origin", "hook:" + std::string(event)}});
}

std::string imported_from(const Entry& entry) {
  if (!entry.meta.starts_with(R"({"import":)")) return {};
  const std::optional<Json> meta = parse_json(entry.meta);
  return meta ? string_at(at(*meta, "import"), "from") : std::string{};
}

std::string typed_command(std::string_view meta) {
  if (!meta.starts_with(R"({"command":)")) return {};
  const std::optional<Json> json = parse_json(meta);
  if (!json) return {};
  const Json& command = at(*json, "command");
  const std::string name = string_at(command, "name"), arguments = string_at(command, "args");
  return name.empty() ? "" : "/" + name + (arguments.empty() ? "" : " " + arguments);
}

std::string typed_command(const Entry& entry) { return typed_command(entry.meta); }

JsonText command_meta(const std::string& name, const std::string& arguments,
                      const std::string& source, const std::string& sha256) {
  return dump(
      {{"command", {{"name", name}, {"args", arguments}, {"source", source}, {"sha256", sha256}}}});
}

JsonText diff_meta(std::string_view diff) {
  constexpr std::size_t longest = 20'000;
  return diff.empty() || diff.size() > longest ? JsonText{} : dump({{"diff", diff}});
}

std::string diff_in(const JsonText& meta) {
  if (meta.find("\"diff\"") == JsonText::npos) return {};
  const std::optional<Json> json = parse_json(meta);
  return json ? string_at(*json, "diff") : std::string{};
}

std::string preview(const Entry& entry, std::size_t characters) {
  if (const auto message = message_of(entry))
    return tells_changes(entry)                       ? "(a note of what has changed)"
           : tells_todo(entry)                        ? "(a note of what is left to do)"
           : is_from_hook(entry)                      ? "(a note by a hook)"
           : message->continuation                    ? "(asked to continue)"
           : entry.meta.starts_with(R"({"command":)") ? one_line(typed_command(entry), characters)
                                                      : one_line(words_of(*message), characters);
  const std::optional<Json> payload = parse_json(entry.payload);
  if (!payload) return {};
  if (entry.type == type::compaction_summary && string_at(*payload, "summary").empty())
    return "(older messages were left out)";
  for (const char* member :
       {"summary", "text", "content", "question", "name", "model", "level", "kind"})
    if (const std::string text = string_at(*payload, member); !text.empty())
      return one_line(text, characters);
  return "[" + entry.type + "]";
}

bool is_prompt(const Entry& entry) {
  const auto message = message_of(entry);
  return message && is_prompt(*message) && !is_note(entry);
}

bool is_note(const Entry& entry) { return entry.meta.starts_with(R"({"note":)"); }

bool is_steered(const Entry& entry) { return entry.meta.starts_with(R"({"steered":)"); }

Entry aside_entry(const Aside& aside) {
  Json json{{"kind", "aside"},
            {"question", aside.question},
            {"answer", aside.answer},
            {"provider", aside.provider},
            {"model", aside.model}};
  if (aside.usage) json["usage"] = usage_json(*aside.usage);
  if (aside.duration_ms > 0) json["durationMs"] = aside.duration_ms;
  return make_entry(type::custom, dump(json));
}

bool may_be_aside(std::string_view type, std::string_view payload) {
  return type == type::custom && payload.starts_with(R"({"kind":"aside")");
}

std::optional<Aside> read_aside(std::string_view payload) {
  const std::optional<Json> json = parse_json(payload);
  if (!json || string_at(*json, "kind") != "aside") return std::nullopt;
  return Aside{.question = string_at(*json, "question"),
               .answer = string_at(*json, "answer"),
               .provider = string_at(*json, "provider"),
               .model = string_at(*json, "model"),
               .usage = usage_from(at(*json, "usage")),
               .duration_ms = int_at(*json, "durationMs")};
}

std::optional<Aside> aside_of(const Entry& entry) {
  return may_be_aside(entry.type, entry.payload) ? read_aside(entry.payload) : std::nullopt;
}

}  // namespace skein::model
