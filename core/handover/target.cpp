#include "core/handover/target.h"

#include <algorithm>
#include <array>
#include <utility>

namespace skein::handover {

namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_alphanumeric(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }
constexpr bool is_word(char c) { return is_alphanumeric(c) || c == '_' || c == '-'; }

struct Rules {
  WireFormat wire;
  std::size_t max_id;
  bool images_in_results;
  // Anthropic counts 5 MiB of base64, which is this many bytes.
  std::size_t max_image_bytes;
  bool unsigned_thinking;
  bool ends_in_thinking;
  std::array<std::string_view, 4> image_types;
};

constexpr Rules table[] = {
    {WireFormat::anthropic,
     64,
     true,
     3'932'160,
     false,
     false,
     {"image/png", "image/jpeg", "image/gif", "image/webp"}},
    {WireFormat::openai_chat,
     40,
     false,
     20'971'520,
     true,
     true,
     {"image/png", "image/jpeg", "image/gif", "image/webp"}},
    {WireFormat::openai_responses,
     64,
     true,
     20'971'520,
     false,
     false,
     {"image/png", "image/jpeg", "image/gif", "image/webp"}},
    {WireFormat::google,
     64,
     false,
     15'728'640,
     true,
     true,
     {"image/png", "image/jpeg", "image/webp", "image/heic"}},
};

const Rules& rules_of(WireFormat wire) { return *std::ranges::find(table, wire, &Rules::wire); }

}  // namespace

bool fits(std::string_view id, const IdRule& rule) {
  const bool length = rule.exact ? id.size() == rule.max : !id.empty() && id.size() <= rule.max;
  return length && std::ranges::all_of(id, rule.alphanumeric ? is_alphanumeric : is_word);
}

Target target_for(WireFormat wire, std::string provider, std::string model) {
  const Rules& rules = rules_of(wire);
  Target target{.provider = std::move(provider), .model = std::move(model), .wire = wire};
  target.ids.max = rules.max_id;
  target.images_in_results = rules.images_in_results;
  target.max_image_bytes = rules.max_image_bytes;
  target.unsigned_thinking = rules.unsigned_thinking;
  target.ends_in_thinking = rules.ends_in_thinking;
  return target;
}

bool same_service(std::string_view provider, const Target& target) {
  return provider == target.provider ||
         (!target.provider_alias.empty() && provider == target.provider_alias);
}

bool same_model(const model::Message& message, const Target& target) {
  return message.role == model::Role::assistant && same_service(message.provider, target) &&
         message.model == target.model;
}

bool takes(const model::Image& image, const Target& target) {
  if (!target.takes_images || (image.blob.empty() && image.bytes.empty())) return false;
  if (target.max_image_bytes > 0 && image.bytes.size() > target.max_image_bytes) return false;
  const auto& types = rules_of(target.wire).image_types;
  return std::ranges::find(types, image.mime_type) != types.end();
}

bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= max_tool_name && (is_letter(name[0]) || name[0] == '_') &&
         std::ranges::all_of(name, is_word);
}

std::string tool_name(std::string_view name) {
  if (is_tool_name(name)) return std::string(name);
  std::string fitted(name.substr(0, max_tool_name));
  std::ranges::replace_if(
      fitted, [](char c) { return !is_word(c); }, '_');
  if (fitted.empty()) return "unknown_tool";
  // Gemini wants a letter or '_' in front.
  if (!is_tool_name(fitted)) fitted = ("_" + fitted).substr(0, max_tool_name);
  return fitted;
}

}  // namespace skein::handover
