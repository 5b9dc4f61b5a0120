#include "core/context/sent_request.h"

#include "core/context/beginning.h"
#include "core/text/json.h"

namespace skein::context {

namespace {

bool is_refused(const model::Message& message) { return message.seals == model::Seals::refused; }

}  // namespace

void complete(model::SentRequest& sent, const BuiltContext& built, const model::ModelRef& model) {
  sent.session = built.context.session;
  sent.thinking = model.thinking;
  sent.max_output = model.max_output;
  sent.unsealed = std::ranges::count_if(built.context.messages, is_refused);
}

JsonText request_meta(const model::SentRequest& sent) {
  Json json{{"sha256", sent.sha256},
            {"bytes", sent.bytes},
            {"wire", sent.wire},
            {"settings", sent.settings},
            {"session", sent.session}};
  if (sent.thinking != model::ThinkingLevel::off) json["thinking"] = model::name(sent.thinking);
  if (sent.max_output > 0) json["maxOutput"] = sent.max_output;
  if (sent.unsealed > 0) json["unsealed"] = sent.unsealed;
  return dump({{"request", std::move(json)}});
}

std::optional<model::SentRequest> request_in_meta(const model::Entry& answer) {
  const std::optional<Json> meta = parse_json(answer.meta);
  if (!meta || !at(*meta, "request").is_object()) return std::nullopt;
  const Json& json = at(*meta, "request");
  model::SentRequest sent{.sha256 = string_at(json, "sha256"),
                          .bytes = int_at(json, "bytes"),
                          .wire = static_cast<int>(int_at(json, "wire")),
                          .settings = string_at(json, "settings"),
                          .session = string_at(json, "session"),
                          .max_output = int_at(json, "maxOutput"),
                          .unsealed = int_at(json, "unsealed")};
  if (const auto level = model::parse_thinking_level(string_at(json, "thinking")))
    sent.thinking = *level;
  return sent;
}

// What was redacted at that time is written down with the beginning: every request takes a later
// redaction into account by a new one.
std::optional<model::Context> request_again(std::span<const model::Entry> path,
                                            const model::SentRequest& sent) {
  const model::Entry* const entry = last_beginning(path);
  const auto begins = entry != nullptr ? model::read_as<model::payload::RuntimeInit>(*entry)
                                       : std::optional<model::payload::RuntimeInit>{};
  if (!begins || !begins->specs) return std::nullopt;
  const std::set<Id> masked(begins->masked.begin(), begins->masked.end());
  constexpr std::int64_t no_limit = 1'000'000'000'000;
  BuiltContext built = build_context({.path = path,
                                      .redacted = masked,
                                      .system = begins->system,
                                      .tools = *begins->specs,
                                      .window = {.tokens = no_limit}});
  std::vector<model::Message>& messages = built.context.messages;
  const auto unsealed = std::clamp<std::int64_t>(sent.unsealed, 0, std::ssize(messages));
  for (model::Message& message : std::span(messages).first(static_cast<std::size_t>(unsealed)))
    message.seals = model::Seals::refused;
  built.context.session = sent.session;
  return std::move(built.context);
}

}  // namespace skein::context
