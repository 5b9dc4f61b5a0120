#include "providers/wire/wire.h"

#include "core/text/encoding.h"

namespace skein::wire {

std::string data_url(const model::Image& image) {
  return "data:" + image.mime_type + ";base64," + base64(image.bytes);
}

std::string_view missing_image(const model::Image& image, const ModelFacts& facts) {
  if (!facts.images) return "(image left out: this model takes no images)";
  if (image.bytes.empty()) return "(image left out: its bytes are gone)";
  return {};
}

Json provider_member(const JsonText& provider_data, std::string_view key) {
  if (provider_data.empty()) return nullptr;
  return at(parsed(provider_data), key);
}

FlatResult flatten(const model::ToolResult& result, const ModelFacts& facts) {
  FlatResult flat;
  const auto line = [&](std::string_view text) {
    if (text.empty()) return;
    if (!flat.text.empty()) flat.text += '\n';
    flat.text += text;
  };
  for (const model::ResultBlock& block : result.content) {
    if (const auto* text = std::get_if<model::Text>(&block)) line(text->text);
    const auto* image = std::get_if<model::Image>(&block);
    if (image == nullptr) continue;
    const std::string_view missing = missing_image(*image, facts);
    line(missing);
    if (missing.empty()) flat.images.push_back(image);
  }
  if (flat.text.empty())
    flat.text = !flat.images.empty() ? "(see the image)"
                : result.is_error    ? "(failed without output)"
                                     : "(no output)";
  return flat;
}

std::int64_t max_output(const model::ModelRef& model, const ModelFacts& facts) {
  return model.max_output > 0 ? model.max_output : facts.max_output;
}

std::string effort(const model::ModelRef& model, const ModelFacts& facts) {
  if (facts.thinking == ThinkingStyle::none) return {};
  if (model.thinking == model::ThinkingLevel::off) return facts.thinking_off;
  return std::string(model::name(model::nearest(model.thinking, facts.levels)));
}

std::int64_t thinking_budget(model::ThinkingLevel level) {
  constexpr std::array<std::int64_t, model::thinking_levels> budgets{0,      1'024,  2'048, 8'192,
                                                                     24'576, 32'768, 32'768};
  return budgets[static_cast<std::size_t>(level)];
}

Json parsed(const JsonText& text) {
  std::optional<Json> value = parse_json(text);
  return value && value->is_object() ? std::move(*value) : Json::object();
}

std::optional<std::int64_t> count_at(const Json& object, std::string_view key) {
  const Json& member = at(object, key);
  if (!member.is_number_integer() || !model::is_plausible_count(member.get<std::int64_t>()))
    return std::nullopt;
  return member.get<std::int64_t>();
}

delta::UsageUpdate openai_usage(const Json& usage, const std::string& input,
                                const std::string& output) {
  const Json& details = at(usage, input + "_details");
  delta::UsageUpdate update{
      .output = count_at(usage, output),
      .cache_read = count_at(details, "cached_tokens"),
      .cache_write = count_at(details, "cache_write_tokens"),
      .reasoning = count_at(at(usage, output + "_details"), "reasoning_tokens")};
  if (!update.cache_read) update.cache_read = count_at(usage, "prompt_cache_hit_tokens");
  if (const auto all = count_at(usage, input))
    update.input = std::max<std::int64_t>(
        0, *all - update.cache_read.value_or(0) - update.cache_write.value_or(0));
  return update;
}

model::Stop stop_for(std::span<const StopRow> rows, std::string_view reason) {
  const auto row = std::ranges::find(rows, reason, &StopRow::first);
  return row == rows.end() ? model::Stop::stop : row->second;
}

model::Deltas error_event(const Json& event) {
  const Json& inner = at(event, "error");
  return {failure(inner.is_null() ? event : inner)};
}

// A stream with a hole may lack a piece of a call: better no answer than a wrong one.
model::Deltas not_json() {
  return {delta::Failed{"the provider sent an event that is not JSON", false, true}};
}

}  // namespace skein::wire
