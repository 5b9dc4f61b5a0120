// OpenAI Chat Completions, and the many services that speak a dialect of it: POST
// …/chat/completions.

#include "core/text/text.h"
#include "providers/wire/wire.h"

namespace skein::wire {

namespace openai_chat_codec {
namespace {

// ---- request

Json text_part(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

Json image_part(const model::Image& image) {
  return {{"type", "image_url"}, {"image_url", {{"url", data_url(image)}}}};
}

// A string where text is all there is: some servers know nothing else.
Json user_content(const model::Message& message, const ModelFacts& facts) {
  Json parts = Json::array();
  std::vector<std::string_view> texts;
  const auto text = [&](std::string_view piece) {
    if (piece.empty()) return;
    texts.push_back(piece);
    parts.push_back(text_part(piece));
  };
  for (const model::Block& block : message.content) {
    if (const auto* said = std::get_if<model::Text>(&block)) text(said->text);
    const auto* image = std::get_if<model::Image>(&block);
    if (image == nullptr) continue;
    const std::string_view missing = missing_image(*image, facts);
    text(missing);
    if (missing.empty()) parts.push_back(image_part(*image));
  }
  return texts.size() == parts.size() ? Json(listed(texts, "\n\n")) : parts;
}

// Reasoning goes back in the field it came in. What most services call it is not written down.
constexpr std::string_view default_reasoning_field = "reasoning_content";

bool is_detail(const model::Thinking& block) {
  const Json type = provider_member(block.provider_data, "type");
  return type.is_string() && type.get<std::string>().starts_with("reasoning.");
}

// A reasoning detail as the service sent it, its text and signature put back.
Json detail_of(const model::Thinking& block) {
  Json detail = parsed(block.provider_data);
  if (block.redacted)
    detail["data"] = block.signature;
  else
    detail[string_at(detail, "type") == "reasoning.summary" ? "summary" : "text"] = block.thinking;
  if (!block.redacted && !block.signature.empty()) detail["signature"] = block.signature;
  return detail;
}

Json assistant_message(const model::Message& message, bool always_reasons) {
  Json out{{"role", "assistant"}, {"content", nullptr}};
  std::string reasoning, field{default_reasoning_field};
  for (const model::Block& block : message.content) {
    if (const auto* thinking = std::get_if<model::Thinking>(&block)) {
      if (is_detail(*thinking)) {
        out["reasoning_details"].push_back(detail_of(*thinking));
        continue;
      }
      reasoning += thinking->thinking;
      if (const Json named = provider_member(thinking->provider_data, "field"); named.is_string())
        field = named.get<std::string>();
    } else if (const auto* call = std::get_if<model::ToolUse>(&block)) {
      out["tool_calls"].push_back(
          {{"id", call->id},
           {"type", "function"},
           {"function", {{"name", call->name}, {"arguments", call->input}}}});
    }
  }
  if (const std::string text = model::plain_text(message); !text.empty()) out["content"] = text;
  if (!reasoning.empty()) out[field] = reasoning;
  if (always_reasons && !out.contains(default_reasoning_field)) out[default_reasoning_field] = "";
  return out;
}

// One message per result. Images cannot be in them, so they follow the whole run of results.
void add_results(Json& messages, Json& images, const model::Message& message,
                 const ModelFacts& facts) {
  for (const model::Block& block : message.content) {
    const auto* result = std::get_if<model::ToolResult>(&block);
    if (result == nullptr) continue;
    const FlatResult flat = flatten(*result, facts);
    messages.push_back(
        {{"role", "tool"}, {"tool_call_id", result->tool_use_id}, {"content", flat.text}});
    for (const model::Image* image : flat.images) images.push_back(image_part(*image));
  }
}

void add_images(Json& messages, Json& images) {
  if (images.empty()) return;
  images.insert(images.begin(), text_part("The images of the tool results:"));
  messages.push_back({{"role", "user"}, {"content", std::move(images)}});
  images = Json::array();
}

Json messages_of(const model::Context& context, const ModelFacts& facts) {
  Json messages = Json::array();
  Json images = Json::array();
  if (!context.system.empty())
    messages.push_back({{"role", facts.system_role}, {"content", context.system}});
  for (const model::Message& message : context.messages) {
    // Results may stand in a message of their own or before the user's words.
    add_results(messages, images, message, facts);
    if (message.role == model::Role::tool) continue;
    add_images(messages, images);
    if (message.role == model::Role::assistant) {
      Json reply = assistant_message(message, facts.reasoning_always && !context.tools.empty());
      if (!reply["content"].is_null() || reply.contains("tool_calls"))
        messages.push_back(std::move(reply));
    } else if (Json content = user_content(message, facts); !content.empty() && content != "") {
      messages.push_back({{"role", "user"}, {"content", std::move(content)}});
    }
  }
  add_images(messages, images);
  return messages;
}

WireRequest encode(const model::Context& context, const model::ModelRef& model,
                   const ModelFacts& facts) {
  Json body{{"model", model.model}, {"stream", true}};
  if (facts.stream_usage) body["stream_options"] = {{"include_usage", true}};
  if (const std::int64_t limit = max_output(model, facts); limit > 0)
    body[facts.max_tokens_field] = limit;
  if (const std::string level = effort(model, facts); !level.empty())
    body["reasoning_effort"] = level;
  for (const model::ToolSpec& tool : context.tools)
    body["tools"].push_back({{"type", "function"},
                             {"function",
                              {{"name", tool.name},
                               {"description", tool.description},
                               {"parameters", parsed(tool.schema)}}}});
  body["messages"] = messages_of(context, facts);
  return {"/chat/completions", {{"content-type", "application/json"}}, dump(body)};
}

// ---- answer

// Calls go by index; some servers leave it out, and then a new id is a new call and a piece without
// an id belongs to the last one.
void read_call(const Json& call, model::Deltas& out) {
  const auto index = count_at(call, "index");
  const std::string id = string_at(call, "id");
  const std::string key = index ? std::to_string(*index) : id.empty() ? "" : "id " + id;
  const Json& function = at(call, "function");
  const std::string name = string_at(function, "name");
  if (!key.empty() && (!id.empty() || !name.empty())) {
    // There is no other sign that the call before is whole.
    if (index && *index > 0) out.emplace_back(delta::BlockEnd{std::to_string(*index - 1)});
    out.emplace_back(delta::ToolStart{key, id, name});
  }
  const Json& arguments = at(function, "arguments");
  if (arguments.is_string())
    out.emplace_back(delta::ToolInput{key, arguments.get<std::string>()});
  else if (arguments.is_object())
    out.emplace_back(delta::ToolInput{key, dump(arguments), true});
}

// Reasoning that some services want back exactly as they sent it, piece by piece.
void read_detail(const Json& detail, model::Deltas& out) {
  const std::string key = "reasoning " + std::to_string(int_at(detail, "index"));
  Json rest = detail;
  for (const char* member : {"text", "summary", "data", "signature"}) rest.erase(member);
  if (const std::string data = string_at(detail, "data"); !data.empty())
    out.emplace_back(delta::Signature{key, data, true});
  else
    out.emplace_back(
        delta::ThinkingPiece{key, string_at(detail, "text") + string_at(detail, "summary")});
  if (const std::string signature = string_at(detail, "signature"); !signature.empty())
    out.emplace_back(delta::Signature{key, signature});
  out.emplace_back(delta::ProviderData{key, dump(rest)});
}

void read_reasoning(const Json& piece, model::Deltas& out) {
  if (const auto& details = list_at(piece, "reasoning_details"); !details.empty()) {
    for (const Json& detail : details)
      if (detail.is_object()) read_detail(detail, out);
    return;
  }
  for (const std::string_view field :
       {default_reasoning_field, std::string_view("reasoning"), std::string_view("reasoning_text")})
    if (const std::string text = string_at(piece, field); !text.empty()) {
      out.emplace_back(delta::ThinkingPiece{"", text});
      if (field != default_reasoning_field)
        out.emplace_back(delta::ProviderData{"", dump({{"field", field}})});
      return;
    }
}

constexpr StopRow stops[] = {
    {"length", model::Stop::length},
    {"content_filter", model::Stop::refusal},
    {"tool_calls", model::Stop::tool_use},
    {"function_call", model::Stop::tool_use},
};

void read_finish(const std::string& reason, model::Deltas& out) {
  const model::Stop stop = stop_for(stops, reason);
  // With `length` the last call may be cut even where its input looks whole.
  if (stop == model::Stop::stop || stop == model::Stop::tool_use)
    out.emplace_back(delta::BlockEnd{"", true});
  out.emplace_back(delta::StopReason{stop});
  out.emplace_back(delta::Finished{});
}

void read_choice(const Json& choice, model::Deltas& out) {
  if (int_at(choice, "index") != 0) return;
  const Json& piece = at(choice, "delta");
  read_reasoning(piece, out);
  if (const std::string text = string_at(piece, "content"); !text.empty())
    out.emplace_back(delta::TextPiece{"", text});
  if (const std::string refusal = string_at(piece, "refusal"); !refusal.empty()) {
    out.emplace_back(delta::TextPiece{"", refusal});
    out.emplace_back(delta::StopReason{model::Stop::refusal});
  }
  for (const Json& call : list_at(piece, "tool_calls")) read_call(call, out);
  if (const Json& error = at(choice, "error"); error.is_object()) out.emplace_back(failure(error));
  if (const std::string reason = string_at(choice, "finish_reason"); !reason.empty())
    read_finish(reason, out);
}

model::Deltas decode(const SseEvent& event) {
  if (event.data == "[DONE]") return {delta::Finished{}};
  const std::optional<Json> json = parse_json(event.data);
  if (!json) return not_json();
  model::Deltas out;
  if (const Json& error = at(*json, "error"); !error.is_null())
    out.emplace_back(failure(error));
  else if (event.name == "error")
    out.emplace_back(failure(*json));
  for (const Json& choice : list_at(*json, "choices")) read_choice(choice, out);
  if (const Json& usage = at(*json, "usage"); usage.is_object())
    out.emplace_back(openai_usage(usage, "prompt_tokens", "completion_tokens"));
  return out;
}

}  // namespace
}  // namespace openai_chat_codec

const Codec openai_chat{"openai-chat", openai_chat_codec::encode, openai_chat_codec::decode,
                        explain};

}  // namespace skein::wire
