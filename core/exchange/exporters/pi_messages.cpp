#include "core/exchange/exporters/pi_messages.h"

#include <algorithm>

#include "core/exchange/exporters/whole_output.h"

namespace skein::exchange::exporters {

namespace {

Json text_content(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

Json image_content(const ExportedSession& session, const model::Image& image) {
  LoadedImage loaded = load_image(session, image);
  if (!loaded.there()) return text_content("(an image that is not there any more)");
  return {{"type", "image"}, {"data", loaded.base64}, {"mimeType", loaded.mime_type}};
}

Json call_content(const model::ToolUse& call) {
  Json out{{"type", "toolCall"},
           {"id", call.id},
           {"name", call.name},
           {"arguments", parse_json(call.input).value_or(Json::object())}};
  const auto data = call.provider_data.empty() ? std::nullopt : parse_json(call.provider_data);
  if (data)
    if (const std::string signature = string_at(*data, "thoughtSignature"); !signature.empty())
      out["thoughtSignature"] = signature;
  return out;
}

Json thinking_content(const model::Thinking& block) {
  Json out{{"type", "thinking"}, {"thinking", block.thinking}};
  if (!block.signature.empty()) out["thinkingSignature"] = block.signature;
  if (block.redacted) out["redacted"] = true;
  return out;
}

// Which of pi's APIs a provider of ours speaks.
struct Api {
  std::string_view provider, api;
};
constexpr Api apis[] = {{"anthropic", "anthropic-messages"},
                        {"google", "google-generative-ai"},
                        {"openai", "openai-responses"},
                        {"openai-responses", "openai-responses"}};
std::string_view api_of(std::string_view provider) {
  const auto row = std::ranges::find(apis, provider, &Api::provider);
  return row == std::end(apis) ? "openai-completions" : row->api;
}

std::string_view stop_reason(model::Stop stop) {
  switch (stop) {
    case model::Stop::length: return "length";
    case model::Stop::tool_use: return "toolUse";
    case model::Stop::aborted:
    case model::Stop::interrupted: return "aborted";
    case model::Stop::error: return "error";
    default: return "stop";
  }
}

Json answer(const model::Message& message, std::int64_t time_ms, ToolNames& names) {
  Json content = Json::array();
  for (const model::Block& block : message.content) {
    if (const auto* text = std::get_if<model::Text>(&block))
      content.push_back(text_content(text->text));
    if (const auto* thinking = std::get_if<model::Thinking>(&block))
      content.push_back(thinking_content(*thinking));
    if (const auto* call = std::get_if<model::ToolUse>(&block)) {
      content.push_back(call_content(*call));
      names[call->id] = call->name;
    }
  }
  Json out{{"role", "assistant"},
           {"content", std::move(content)},
           {"api", api_of(message.provider)},
           {"provider", message.provider},
           {"model", message.model},
           {"usage", pi_usage(message.usage.value_or(model::Usage{}))},
           {"stopReason", stop_reason(message.stop)}};
  if (!message.error.empty()) out["errorMessage"] = message.error;
  if (message.stop == model::Stop::refusal) out["rawStopReason"] = "refusal";
  out["timestamp"] = time_ms;
  return out;
}

Json result(const ExportedSession& session, const model::ToolResult& block, std::int64_t time_ms,
            const ToolNames& names) {
  Json content = Json::array();
  for (const model::ResultBlock& part : block.content) {
    if (const auto* text = std::get_if<model::Text>(&part))
      content.push_back(text_content(text->text));
    if (const auto* image = std::get_if<model::Image>(&part))
      content.push_back(image_content(session, *image));
  }
  const auto name = names.find(block.tool_use_id);
  return {{"role", "toolResult"},
          {"toolCallId", block.tool_use_id},
          {"toolName", name == names.end() ? "unknown" : name->second},
          {"content", std::move(content)},
          {"isError", block.is_error},
          {"timestamp", time_ms}};
}

}  // namespace

Json pi_usage(const model::Usage& usage) {
  Json out = {{"input", usage.input},
              {"output", usage.output},
              {"cacheRead", usage.cache_read},
              {"cacheWrite", usage.cache_write}};
  if (usage.reasoning > 0) out["reasoning"] = usage.reasoning;
  out["totalTokens"] = model::whole_input(usage) + usage.output;
  out["cost"] = {{"input", 0}, {"output", 0}, {"cacheRead", 0}, {"cacheWrite", 0}, {"total", 0}};
  return out;
}

std::vector<Json> pi_messages(const ExportedSession& session, const model::Message& message,
                              std::int64_t time_ms, ToolNames& names) {
  if (message.role == model::Role::assistant) return {answer(message, time_ms, names)};
  std::vector<Json> out;
  Json content = Json::array();
  for (const model::Block& block : message.content) {
    if (const auto* tool = std::get_if<model::ToolResult>(&block))
      out.push_back(result(session, *tool, time_ms, names));
    if (const auto* text = std::get_if<model::Text>(&block))
      content.push_back(text_content(text->text));
    if (const auto* image = std::get_if<model::Image>(&block))
      content.push_back(image_content(session, *image));
  }
  if (!content.empty() || out.empty())
    out.push_back({{"role", "user"}, {"content", std::move(content)}, {"timestamp", time_ms}});
  return out;
}

Json pi_system_message(const model::payload::RuntimeInit& init,
                       const model::payload::RuntimeInit* before, std::int64_t time_ms) {
  Json added = Json::array(), removed = Json::array();
  for (const model::ToolSpec& spec : init.specs.value_or(std::vector<model::ToolSpec>{}))
    added.push_back({{"name", spec.name},
                     {"description", spec.description},
                     {"parameters", parse_json(spec.schema).value_or(Json::object())}});
  if (before != nullptr)
    for (const std::string& name : before->tools)
      if (std::ranges::find(init.tools, name) == init.tools.end())
        removed.push_back({{"name", name}});
  // As a section: one that comes later takes its place, where a content would be added to it.
  Json out{{"role", "system"}, {"content", ""}, {"sections", {{"prompt", init.system}}}};
  if (!added.empty()) out["toolsAdded"] = std::move(added);
  if (!removed.empty()) out["toolsRemoved"] = std::move(removed);
  out["timestamp"] = time_ms;
  return out;
}

}  // namespace skein::exchange::exporters
