#include "core/exchange/importers/anthropic_blocks.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/exchange/importers/foreign_values.h"
#include "core/text/base64.h"
#include "core/text/image_type.h"

namespace skein::exchange::importers {

namespace {

bool is_call(std::string_view type) { return type == "tool_use" || type == "toolCall"; }

}  // namespace

model::Usage anthropic_usage(const Json& usage) {
  return {.input = count_at(usage, "input_tokens"),
          .output = count_at(usage, "output_tokens"),
          .cache_read = count_at(usage, "cache_read_input_tokens"),
          .cache_write = count_at(usage, "cache_creation_input_tokens"),
          .reasoning = std::min(count_at(at(usage, "output_tokens_details"), "thinking_tokens"),
                                count_at(usage, "output_tokens"))};
}

model::Stop anthropic_stop(std::string_view reason) {
  using model::Stop;
  static constexpr std::pair<std::string_view, Stop> rows[] = {
      {"end_turn", Stop::stop},     {"stop_sequence", Stop::stop},
      {"pause_turn", Stop::stop},   {"tool_use", Stop::tool_use},
      {"max_tokens", Stop::length}, {"model_context_window_exceeded", Stop::length},
      {"refusal", Stop::refusal},
  };
  const auto* const found =
      std::ranges::find(rows, reason, &std::pair<std::string_view, Stop>::first);
  return found == std::end(rows) ? Stop::none : found->second;
}

model::Stop end_of(const model::Message& answer) {
  const auto has = [&]<class Kind>(const Kind&) {
    return std::ranges::any_of(answer.content, [](const model::Block& block) {
      return std::holds_alternative<Kind>(block);
    });
  };
  if (has(model::ToolUse{})) return model::Stop::tool_use;
  return has(model::Text{}) ? model::Stop::stop : model::Stop::interrupted;
}

std::vector<model::Block> AnthropicBlocks::content(const Json& json, std::string_view calls_named) {
  std::vector<model::Block> out;
  if (json.is_string()) {
    if (!json.get_ref<const std::string&>().empty())
      out.emplace_back(model::Text{json.get<std::string>()});
    return out;
  }
  if (json.is_object()) add(out, json, calls_named);
  if (json.is_array())
    for (const Json& each : json) add(out, each, calls_named);
  return out;
}

std::vector<model::ResultBlock> AnthropicBlocks::result_content(const Json& json) {
  std::vector<model::ResultBlock> out;
  for (model::Block& each : content(json, {})) {
    if (auto* text = std::get_if<model::Text>(&each))
      out.emplace_back(std::move(*text));
    else if (auto* image = std::get_if<model::Image>(&each))
      out.emplace_back(std::move(*image));
    else if (auto* raw = std::get_if<model::Opaque>(&each))
      out.emplace_back(std::move(*raw));
    else
      left_out_ = true;
  }
  if (json.is_number() || json.is_boolean()) out.emplace_back(model::Text{dump(json)});
  if (out.empty()) out.emplace_back(model::Text{});
  return out;
}

bool AnthropicBlocks::take_left_out() { return std::exchange(left_out_, false); }

void AnthropicBlocks::add(std::vector<model::Block>& out, const Json& json,
                          std::string_view calls_named) {
  const std::string type = string_at(json, "type");
  if (json.is_string() || type == "text") {
    std::string text = json.is_string() ? json.get<std::string>() : string_at(json, "text");
    if (!text.empty()) out.emplace_back(model::Text{std::move(text)});
  } else if (type == "thinking" || type == "redacted_thinking" || type == "reasoning") {
    add_thinking(out, json);
  } else if (is_call(type)) {
    std::string id = string_at(json, "id");
    if (id.empty()) id = "call_" + std::string(calls_named) + "_" + std::to_string(out.size());
    const Json& input = at(json, "input");
    out.emplace_back(model::ToolUse{std::move(id), string_at(json, "name"),
                                    call_input(input.is_null() ? at(json, "arguments") : input)});
  } else if (type == "tool_result") {
    out.emplace_back(model::ToolResult{
        .tool_use_id = string_at(json, "tool_use_id", string_at(json, "toolUseId")),
        .content = result_content(at(json, "content")),
        .is_error = bool_at(json, "is_error") || bool_at(json, "isError")});
  } else if (type == "image" || type == "document") {
    add_file(out, json);
  } else {
    add_unknown(out, json);
  }
}

void AnthropicBlocks::add_thinking(std::vector<model::Block>& out, const Json& json) {
  const bool sealed = !string_at(json, "signature").empty() || !string_at(json, "data").empty();
  left_out_ = left_out_ || sealed;
  std::string text = string_at(json, "thinking", string_at(json, "text"));
  if (!text.empty()) out.emplace_back(model::Thinking{.thinking = std::move(text)});
}

void AnthropicBlocks::add_file(std::vector<model::Block>& out, const Json& json) {
  const Json& source = at(json, "source").is_object() ? at(json, "source") : json;
  const std::string mime = string_at(source, "media_type", string_at(source, "mimeType"));
  const Json& data = at(source, "data");
  if (string_at(source, "type") == "text" && data.is_string()) {
    out.emplace_back(model::Text{data.get<std::string>()});
    return;
  }
  if (data.is_string()) {
    const auto& encoded = data.get_ref<const std::string&>();
    if (auto image = kept_image(receiver_, mime, encoded)) {
      out.emplace_back(std::move(*image));
      return;
    }
    // A document is none of our blocks, but its bytes are worth keeping.
    if (const auto bytes = from_base64(encoded); bytes && !bytes->empty())
      if (const std::string blob = receiver_.keep(*bytes); !blob.empty()) {
        out.emplace_back(model::Text{"[" + (mime.empty() ? "a file" : mime) +
                                     ", kept as the blob " + blob + "]"});
        return;
      }
    receiver_.lose("images and documents that cannot be read");
    return;
  }
  if (auto image = kept_image_at(receiver_, string_at(source, "url"))) {
    out.emplace_back(std::move(*image));
    return;
  }
  receiver_.lose("images and documents that are kept elsewhere");
  left_out_ = true;
}

void AnthropicBlocks::add_unknown(std::vector<model::Block>& out, const Json& json) {
  // Said by nobody whose model we could send it to again.
  constexpr std::size_t longest = 256 * 1024;
  if (json.is_null()) return;
  JsonText raw = dump(json);
  if (raw.size() <= longest) {
    out.emplace_back(model::Opaque{"", std::move(raw)});
  } else {
    receiver_.lose("long blocks of an unknown kind");
    left_out_ = true;
  }
}

}  // namespace skein::exchange::importers
