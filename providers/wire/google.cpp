// Gemini: POST …/v1beta/models/{model}:streamGenerateContent?alt=sse.

#include "core/text/encoding.h"
#include "core/text/text.h"
#include "providers/wire/wire.h"

namespace skein::wire {

namespace google_codec {
namespace {

// ---- request

Json image_part(const model::Image& image, const ModelFacts& facts) {
  if (const auto missing = missing_image(image, facts); !missing.empty())
    return {{"text", missing}};
  return {{"inlineData", {{"mimeType", image.mime_type}, {"data", base64(image.bytes)}}}};
}

// Adds the signature that came with this very part.
Json signed_part(Json part, const JsonText& provider_data) {
  if (Json mark = provider_member(provider_data, "thoughtSignature"); !mark.is_null())
    part["thoughtSignature"] = std::move(mark);
  return part;
}

// The calls by their ids: a result repeats the name of the call it answers, and its id where it has
// one. Valid as long as the context.
using Calls = std::unordered_map<std::string_view, const model::ToolUse*>;
Calls calls_in(const model::Context& context) {
  Calls calls;
  for (const model::Message& message : context.messages)
    for (const model::ToolUse* call : model::tool_uses(message)) calls[call->id] = call;
  return calls;
}

// The id the model gave it; newer ones want one also where another model made the call.
Json id_of(const model::ToolUse& call, const ModelFacts& facts) {
  Json id = provider_member(call.provider_data, "id");
  return id.is_null() && facts.call_ids ? Json(call.id) : id;
}

struct PartEncoder {
  Json& parts;
  Json& images;  // of results, for models that take them only next to the results
  const Calls& calls;
  const model::ModelRef& model;
  const ModelFacts& facts;

  void operator()(const model::Text& block) const {
    if (!block.text.empty() || !block.provider_data.empty())
      parts.push_back(signed_part({{"text", block.text}}, block.provider_data));
  }
  void operator()(const model::Thinking& block) const {
    if (block.redacted) return;
    Json part{{"text", block.thinking}, {"thought", true}};
    if (!block.signature.empty()) part["thoughtSignature"] = block.signature;
    parts.push_back(std::move(part));
  }
  void operator()(const model::Image& block) const { parts.push_back(image_part(block, facts)); }
  void operator()(const model::ToolUse& block) const {
    Json call{{"name", block.name}, {"args", parsed(block.input)}};
    if (Json id = id_of(block, facts); !id.is_null()) call["id"] = std::move(id);
    parts.push_back(signed_part({{"functionCall", std::move(call)}}, block.provider_data));
  }
  void operator()(const model::ToolResult& block) const {
    const FlatResult flat = flatten(block, facts);
    const auto found = calls.find(block.tool_use_id);
    const model::ToolUse* call = found == calls.end() ? nullptr : found->second;
    Json response{{"name", call == nullptr ? block.tool_use_id : call->name},
                  {"response", {{block.is_error ? "error" : "output", flat.text}}}};
    if (call != nullptr)
      if (Json id = id_of(*call, facts); !id.is_null()) response["id"] = std::move(id);
    for (const model::Image* image : flat.images) {
      Json& place = facts.images_in_results ? response["parts"] : images;
      place.push_back(image_part(*image, facts));
    }
    parts.push_back({{"functionResponse", std::move(response)}});
  }
  void operator()(const model::Opaque& block) const {
    if (block.provider == model.provider) parts.push_back(parsed(block.raw));
  }
};

void add_parts(Json& contents, const char* role, Json& parts) {
  if (parts.empty()) return;
  if (contents.empty() || contents.back()["role"] != role)
    contents.push_back({{"role", role}, {"parts", Json::array()}});
  for (Json& part : parts) contents.back()["parts"].push_back(std::move(part));
  parts = Json::array();
}

Json contents_of(const model::Context& context, const model::ModelRef& model,
                 const ModelFacts& facts) {
  Json contents = Json::array(), images = Json::array();
  const Calls calls = calls_in(context);
  for (const model::Message& message : context.messages) {
    // After all results of a turn: between them they would tear its responses apart.
    if (message.role != model::Role::tool) add_parts(contents, "user", images);
    Json parts = Json::array();
    for (const model::Block& block : message.content)
      std::visit(PartEncoder{parts, images, calls, model, facts}, block);
    add_parts(contents, message.role == model::Role::assistant ? "model" : "user", parts);
  }
  add_parts(contents, "user", images);
  return contents;
}

Json generation_config(const model::ModelRef& model, const ModelFacts& facts) {
  Json config = Json::object();
  if (const std::int64_t limit = max_output(model, facts); limit > 0)
    config["maxOutputTokens"] = limit;
  std::string level = effort(model, facts);
  if (level.empty()) return config;
  Json& thinking = config["thinkingConfig"];
  thinking["includeThoughts"] = model.thinking != model::ThinkingLevel::off;
  if (facts.thinking == ThinkingStyle::budget) {
    thinking["thinkingBudget"] = thinking_budget(model.thinking);
  } else {
    for (char& c : level) c = static_cast<char>(c - 'a' + 'A');  // a word in lower case
    thinking["thinkingLevel"] = level;
  }
  return config;
}

std::string path_segment(std::string_view text) {
  constexpr char hex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_alphanumeric(c) || c == '-' || c == '_' || c == '.')
      out += c;
    else
      out += {'%', hex[byte >> 4], hex[byte & 15]};
  }
  return out;
}

WireRequest encode(const model::Context& context, const model::ModelRef& model,
                   const ModelFacts& facts) {
  Json body = Json::object();
  if (!context.system.empty())
    body["systemInstruction"] = {{"parts", Json::array({{{"text", context.system}}})}};
  Json functions = Json::array();
  for (const model::ToolSpec& tool : context.tools)
    functions.push_back({{"name", tool.name},
                         {"description", tool.description},
                         {"parametersJsonSchema", parsed(tool.schema)}});
  if (!functions.empty())
    body["tools"] = Json::array({{{"functionDeclarations", std::move(functions)}}});
  if (Json config = generation_config(model, facts); !config.empty())
    body["generationConfig"] = std::move(config);
  body["contents"] = contents_of(context, model, facts);
  return {"/models/" + path_segment(model.model) + ":streamGenerateContent?alt=sse",
          {{"content-type", "application/json"}},
          dump(body)};
}

// ---- answer

void read_call(const Json& part, const std::string& signature, model::Deltas& out) {
  const Json& call = at(part, "functionCall");
  const Json& input = at(call, "args");
  const std::string id = string_at(call, "id");
  Json members = Json::object();
  if (!id.empty()) members["id"] = id;
  if (!signature.empty()) members["thoughtSignature"] = signature;
  out.emplace_back(delta::BlockEnd{""});
  out.emplace_back(delta::ToolStart{"", id, string_at(call, "name")});
  if (input.is_object()) out.emplace_back(delta::ToolInput{"", dump(input)});
  if (!members.empty()) out.emplace_back(delta::ProviderData{"", dump(members)});
  out.emplace_back(delta::BlockEnd{""});
}

// Text continues over many parts, but a signed part is separate: its signature is for it only, and
// may come on a part without any text.
void read_text(const Json& part, const std::string& signature, model::Deltas& out) {
  const std::string text = string_at(part, "text");
  const bool thought = bool_at(part, "thought");
  if (text.empty() && signature.empty()) return;
  if (!signature.empty()) out.emplace_back(delta::BlockEnd{""});
  if (thought)
    out.emplace_back(delta::ThinkingPiece{"", text});
  else
    out.emplace_back(delta::TextPiece{"", text});
  if (signature.empty()) return;
  if (thought)
    out.emplace_back(delta::Signature{"", signature});
  else
    out.emplace_back(delta::ProviderData{"", dump({{"thoughtSignature", signature}})});
  out.emplace_back(delta::BlockEnd{""});
}

void read_part(const Json& part, model::Deltas& out) {
  if (!part.is_object()) return;
  const std::string signature = string_at(part, "thoughtSignature");
  if (part.contains("functionCall")) return read_call(part, signature, out);
  if (part.contains("text")) return read_text(part, signature, out);
  out.emplace_back(delta::BlockEnd{""});
  out.emplace_back(delta::Unknown{"", dump(part)});
  out.emplace_back(delta::BlockEnd{""});
}

constexpr StopRow stops[] = {
    {"MAX_TOKENS", model::Stop::length},
    {"SAFETY", model::Stop::refusal},
    {"RECITATION", model::Stop::refusal},
    {"LANGUAGE", model::Stop::refusal},
    {"BLOCKLIST", model::Stop::refusal},
    {"PROHIBITED_CONTENT", model::Stop::refusal},
    {"SPII", model::Stop::refusal},
    {"IMAGE_SAFETY", model::Stop::refusal},
    {"IMAGE_PROHIBITED_CONTENT", model::Stop::refusal},
    {"IMAGE_RECITATION", model::Stop::refusal},
    {"MALFORMED_FUNCTION_CALL", model::Stop::error},
    {"UNEXPECTED_TOOL_CALL", model::Stop::error},
    {"TOO_MANY_TOOL_CALLS", model::Stop::error},
};

void read_finish(const Json& candidate, model::Deltas& out) {
  const std::string reason = string_at(candidate, "finishReason");
  if (reason.empty()) return;
  const model::Stop stop = stop_for(stops, reason);
  const std::string detail = string_at(candidate, "finishMessage");
  if (stop == model::Stop::error) {
    out.emplace_back(delta::Failed{
        "the model made an invalid call (" + reason + ")" + (detail.empty() ? "" : ": " + detail),
        false, true});
    return;
  }
  out.emplace_back(delta::StopReason{stop, detail});
  out.emplace_back(delta::Finished{});
}

// What is counted as prompt includes what came from the cache; ours does not.
model::Delta usage_of(const Json& usage) {
  const auto prompt = count_at(usage, "promptTokenCount");
  const auto cached = count_at(usage, "cachedContentTokenCount");
  const auto answer = count_at(usage, "candidatesTokenCount");
  const auto thoughts = count_at(usage, "thoughtsTokenCount");
  delta::UsageUpdate update{.cache_read = cached, .reasoning = thoughts};
  if (prompt)
    update.input = std::max<std::int64_t>(0, *prompt - cached.value_or(0)) +
                   count_at(usage, "toolUsePromptTokenCount").value_or(0);
  if (answer || thoughts) update.output = answer.value_or(0) + thoughts.value_or(0);
  return update;
}

model::Deltas decode(const SseEvent& event) {
  const std::optional<Json> json = parse_json(event.data);
  if (!json) return not_json();
  if (const Json& error = at(*json, "error"); !error.is_null()) return {failure(error)};

  model::Deltas out;
  if (const Json& usage = at(*json, "usageMetadata"); usage.is_object())
    out.push_back(usage_of(usage));
  if (const Json& feedback = at(*json, "promptFeedback"); feedback.contains("blockReason")) {
    out.emplace_back(delta::StopReason{
        model::Stop::refusal,
        string_at(feedback, "blockReasonMessage", string_at(feedback, "blockReason"))});
    out.emplace_back(delta::Finished{});
  }
  for (const Json& candidate : list_at(*json, "candidates")) {
    if (int_at(candidate, "index") != 0) continue;
    for (const Json& part : list_at(at(candidate, "content"), "parts")) read_part(part, out);
    read_finish(candidate, out);
  }
  return out;
}

}  // namespace
}  // namespace google_codec

const Codec google_gemini{"google-gemini", google_codec::encode, google_codec::decode, explain};

}  // namespace skein::wire
