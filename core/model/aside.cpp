#include "core/model/aside.h"

#include "core/model/usage_json.h"
#include "core/text/json.h"

namespace skein::model {

namespace {

constexpr std::string_view aside_start = R"({"kind":"aside")";

}  // namespace

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
  return type == type::custom && payload.starts_with(aside_start);
}

std::optional<Aside> read_aside(std::string_view payload) {
  const std::optional<Json> json = parse_json(payload);
  if (!json || string_at(*json, "kind") != "aside") return std::nullopt;
  return Aside{.question = string_at(*json, "question"),
               .answer = string_at(*json, "answer"),
               .provider = string_at(*json, "provider"),
               .model = string_at(*json, "model"),
               .usage = usage_in(*json),
               .duration_ms = int_at(*json, "durationMs")};
}

std::optional<Aside> aside_of(const Entry& entry) {
  return may_be_aside(entry.type, entry.payload) ? read_aside(entry.payload) : std::nullopt;
}

}  // namespace skein::model
