#include "providers/grammar/validator.h"

#include "core/text/request_text.h"
#include "providers/grammar/grammar.h"

namespace skein::grammar {

std::string item(const std::string& place, std::size_t index) {
  return place + "[" + std::to_string(index) + "]";
}
std::string member(const std::string& place, std::string_view name) {
  return place.empty() ? std::string(name) : place + "." + std::string(name);
}
bool is_string(const Json& value) {
  return value.is_string() && !value.get_ref<const std::string&>().empty();
}

bool RuleReport::check(bool kept, const std::string& place, std::string_view rule) {
  if (!kept) broken.push_back(place + ": " + std::string(rule));
  return kept;
}

bool RuleReport::filled_array(const Json& value, const std::string& place) {
  return check(value.is_array() && !value.empty(), place, "not a list with something in it");
}

bool RuleReport::text(const Json& value, const std::string& place) {
  return check(value.is_string(), place, "not a text") &&
         check(!is_blank(value.get_ref<const std::string&>()), place, "blank text");
}

bool RuleReport::list_or_text(const Json& value, const std::string& place) {
  if (!value.is_string()) return filled_array(value, place);
  text(value, place);
  return false;
}

bool RuleReport::object(const Json& value, const std::string& place) {
  return check(value.is_object(), place, "not an object");
}

void RuleReport::arguments(const Json& value, const std::string& place) {
  check(value.is_string() && is_sendable_object(value.get_ref<const std::string&>()), place,
        "not the text of a JSON object");
}

void RuleReport::base64(const Json& value, const std::string& place) {
  check(value.is_string() && is_base64(value.get_ref<const std::string&>()), place, "not base64");
}

void RuleReport::tool_name(const Json& value, const std::string& place) {
  check(value.is_string() && handover::is_tool_name(value.get_ref<const std::string&>()), place,
        "not the name of a tool");
}

void RuleReport::new_id(const Json& value, const std::string& place) {
  if (!check(is_string(value), place, "no id")) return;
  const auto& id = value.get_ref<const std::string&>();
  check(handover::fits(id, target.ids), place, "the id has a refused length or character");
  check(ids_.insert(id).second, place, "the id was used before");
}

void RuleReport::choice(const std::string& value, std::initializer_list<std::string_view> allowed,
                        const std::string& place) {
  check(std::ranges::find(allowed, value) != allowed.end(), place, "refused: '" + value + "'");
}

namespace {

// A NUL hides in a body as an escape; as a byte it is no JSON at all.
bool holds_nul(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().find('\0') != std::string::npos;
  if (!value.is_structured()) return false;
  for (const auto& [key, each] : value.items())
    if (key.find('\0') != std::string::npos || holds_nul(each)) return true;
  return false;
}

}  // namespace

std::vector<std::string> violations(const handover::Target& target, std::string_view body,
                                    std::string_view betas) {
  if (!is_valid_utf8(body)) return {"body: not valid UTF-8"};
  const std::optional<Json> value = parse_json(body);  // refuses lone surrogates too
  if (!value || !value->is_object()) return {"body: not a JSON object"};

  RuleReport report(target, betas);
  report.check(!holds_nul(*value), "body", "holds a NUL");
  constexpr std::array grammars{anthropic, openai_chat, openai_responses, google};
  grammars[static_cast<std::size_t>(target.wire)](*value, report);
  return std::move(report.broken);
}

}  // namespace skein::grammar
