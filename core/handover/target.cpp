#include "core/handover/target.h"

#include "core/text/text.h"

namespace skein::handover {

namespace {

constexpr bool is_word(char c) { return is_alphanumeric(c) || c == '_' || c == '-'; }

using ImageTypes = std::array<std::string_view, 4>;
constexpr ImageTypes web_images = {"image/png", "image/jpeg", "image/gif", "image/webp"};
constexpr ImageTypes google_images = {"image/png", "image/jpeg", "image/webp", "image/heic"};

struct WireRules {
  WireFormat wire;
  std::size_t max_id;
  bool images_in_results;
  std::size_t max_image_bytes;  // Anthropic counts 5 MiB of base64, which is 3,932,160 bytes
  bool unsigned_thinking;
  bool ends_in_thinking;
  ImageTypes image_types;
};

constexpr WireRules table[] = {
    {WireFormat::anthropic, 64, true, 3'932'160, false, false, web_images},
    {WireFormat::openai_chat, 40, false, 20'971'520, true, true, web_images},
    {WireFormat::openai_responses, 64, true, 20'971'520, false, false, web_images},
    {WireFormat::google, 64, false, 15'728'640, true, true, google_images},
};

const WireRules& rules_of(WireFormat wire) {
  return *std::ranges::find(table, wire, &WireRules::wire);
}

}  // namespace

bool fits(std::string_view id, const IdRule& rule) {
  const bool length = rule.exact ? id.size() == rule.max : !id.empty() && id.size() <= rule.max;
  return length && std::ranges::all_of(id, rule.alphanumeric ? is_alphanumeric : is_word);
}

Target target_for(WireFormat wire, std::string provider, std::string model) {
  const WireRules& rules = rules_of(wire);
  return {.provider = std::move(provider),
          .model = std::move(model),
          .wire = wire,
          .ids = {.max = rules.max_id},
          .images_in_results = rules.images_in_results,
          .max_image_bytes = rules.max_image_bytes,
          .unsigned_thinking = rules.unsigned_thinking,
          .ends_in_thinking = rules.ends_in_thinking};
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
