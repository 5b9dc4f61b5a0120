// Anthropic Messages: POST …/v1/messages.

#include "core/text/encoding.h"
#include "providers/wire/wire.h"

namespace skein::wire {

namespace anthropic_codec {
namespace {

// ---- request

Json text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

Json image_block(const model::Image& image, const ModelFacts& facts) {
  if (const auto missing = missing_image(image, facts); !missing.empty())
    return text_block(missing);
  return {{"type", "image"},
          {"source",
           {{"type", "base64"}, {"media_type", image.mime_type}, {"data", base64(image.bytes)}}}};
}

Json result_block(const model::ToolResult& result, const ModelFacts& facts) {
  const FlatResult flat = flatten(result, facts);
  Json content = flat.text;
  if (!flat.images.empty()) {
    content = Json::array({text_block(flat.text)});
    for (const model::Image* image : flat.images) content.push_back(image_block(*image, facts));
  }
  Json block{{"type", "tool_result"}, {"tool_use_id", result.tool_use_id}, {"content", content}};
  if (result.is_error) block["is_error"] = true;
  return block;
}

std::int64_t limit_of(const model::ModelRef& model, const ModelFacts& facts) {
  const std::int64_t limit = max_output(model, facts);
  return limit > 0 ? limit : 8192;
}

// The budget is part of the limit and must leave room for the answer; 1024 is the least. 0: none.
std::int64_t budget_of(const model::ModelRef& model, const ModelFacts& facts) {
  const std::int64_t budget =
      std::min(thinking_budget(model.thinking), limit_of(model, facts) - 1024);
  return budget >= 1024 ? budget : 0;
}

// Whether the request tells the model not to think, aloud or by saying nothing.
bool thinks_not(const model::ModelRef& model, const ModelFacts& facts) {
  if (facts.thinking == ThinkingStyle::budget) return budget_of(model, facts) == 0;
  if (facts.thinking == ThinkingStyle::none) return true;
  return model.thinking == model::ThinkingLevel::off && facts.thinking_off == "disabled";
}

struct BlockEncoder {
  Json& blocks;
  const model::ModelRef& model;
  const ModelFacts& facts;

  void operator()(const model::Text& block) const {
    if (!block.text.empty()) blocks.push_back(text_block(block.text));
  }
  // Older models refuse thoughts in the running loop where they are not to think; and a thought
  // that no longer fits its place is dropped by the service only where it thinks.
  void operator()(const model::Thinking& block) const {
    if (thinks_not(model, facts)) return;
    if (block.redacted)
      blocks.push_back({{"type", "redacted_thinking"}, {"data", block.signature}});
    else if (!block.signature.empty() || facts.reasoning_always)
      blocks.push_back(
          {{"type", "thinking"}, {"thinking", block.thinking}, {"signature", block.signature}});
    else if (!block.thinking.empty())  // refused as thinking without a signature
      blocks.push_back(text_block(block.thinking));
  }
  void operator()(const model::Image& block) const { blocks.push_back(image_block(block, facts)); }
  void operator()(const model::ToolUse& block) const {
    blocks.push_back({{"type", "tool_use"},
                      {"id", block.id},
                      {"name", block.name},
                      {"input", parsed(block.input)}});
  }
  void operator()(const model::ToolResult& block) const {
    blocks.push_back(result_block(block, facts));
  }
  void operator()(const model::Opaque& block) const {
    if (block.provider == model.provider) blocks.push_back(parsed(block.raw));
  }
};

bool is_thinking(const Json& block) { return string_at(block, "type").ends_with("thinking"); }

// Results and the user's words are one role here, and one message where they meet.
Json messages_of(const model::Context& context, const model::ModelRef& model,
                 const ModelFacts& facts) {
  Json messages = Json::array();
  for (const model::Message& message : context.messages) {
    const char* role = message.role == model::Role::assistant ? "assistant" : "user";
    Json blocks = Json::array();
    for (const model::Block& block : message.content)
      std::visit(BlockEncoder{blocks, model, facts}, block);
    if (blocks.empty()) continue;
    if (facts.reasoning_always && !context.tools.empty() &&
        message.role == model::Role::assistant && !is_thinking(blocks.front()))
      blocks.insert(blocks.begin(),
                    Json{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}});
    if (!messages.empty() && messages.back()["role"] == role)
      for (Json& block : blocks) messages.back()["content"].push_back(std::move(block));
    else
      messages.push_back({{"role", role}, {"content", std::move(blocks)}});
  }
  return messages;
}

// Marks the end of a prefix that the next request will begin with as well.
void cache_here(Json& block) { block["cache_control"] = {{"type", "ephemeral"}}; }

// The end of what is sent now, and of what was sent the last time: the server looks for it only
// some twenty blocks before a mark, and one reply may have made more calls than that. With those on
// the system prompt and the tools this makes four marks; more are refused.
void cache_last_messages(Json& messages) {
  int marks = 2;
  for (auto message = messages.rbegin(); message != messages.rend() && marks > 0; ++message) {
    if ((*message)["role"] != "user") continue;
    cache_here((*message)["content"].back());
    --marks;
  }
}

// Results of calls that no thought led to: another model made them, or this one without thinking.
// A model that is given a budget may not begin to think in the middle of such a loop.
bool goes_on_without_thinking(const Json& messages) {
  for (std::size_t i = messages.size(); i-- > 1;) {
    if (messages[i - 1]["role"] != "assistant") continue;
    return string_at(messages[i]["content"].front(), "type") == "tool_result" &&
           !is_thinking(messages[i - 1]["content"].front());
  }
  return false;
}

constexpr std::string_view binding_beta = "thinking-binding-controls-2026-08-01";

// Thoughts whose past has changed (summed up, redacted, under other instructions) shall be passed
// over; without this they are refused with the whole request. Only known with its beta header.
bool binds_loosely(const ModelFacts& facts) { return facts.prefix_bound && facts.betas; }

void add_thinking(Json& body, const model::ModelRef& model, const ModelFacts& facts) {
  const std::string level = effort(model, facts);
  const bool off = model.thinking == model::ThinkingLevel::off;
  if (off && !level.empty()) {
    body["thinking"] = {{"type", level}};
    return;
  }
  if (!off && facts.thinking == ThinkingStyle::budget) {
    const std::int64_t budget = budget_of(model, facts);
    if (budget > 0 && !goes_on_without_thinking(body["messages"]))
      body["thinking"] = {{"type", "enabled"}, {"budget_tokens", budget}};
    return;
  }
  // What is bound to its past thinks by itself, so saying so changes nothing else.
  if (level.empty() && !binds_loosely(facts)) return;
  body["thinking"] = {{"type", "adaptive"}, {"display", "summarized"}};
  if (binds_loosely(facts))
    body["thinking"]["block_binding"] = {{"prefix_mismatch_behavior", "drop_block"}};
  if (!level.empty()) body["output_config"] = {{"effort", level}};
}

WireRequest encode(const model::Context& context, const model::ModelRef& model,
                   const ModelFacts& facts) {
  Json body{{"model", model.model}, {"max_tokens", limit_of(model, facts)}, {"stream", true}};
  if (!context.system.empty()) {
    body["system"] = Json::array({text_block(context.system)});
    cache_here(body["system"].back());
  }
  for (const model::ToolSpec& tool : context.tools)
    body["tools"].push_back({{"name", tool.name},
                             {"description", tool.description},
                             {"input_schema", parsed(tool.schema)}});
  if (body.contains("tools")) cache_here(body["tools"].back());
  body["messages"] = messages_of(context, model, facts);
  add_thinking(body, model, facts);
  cache_last_messages(body["messages"]);
  http::HttpHeaders headers{{"content-type", "application/json"},
                            {"anthropic-version", "2023-06-01"}};
  if (at(body, "thinking").contains("block_binding"))
    headers.emplace_back(beta_header, binding_beta);
  return {"/messages", std::move(headers), dump(body)};
}

// ---- answer

std::string key_of(const Json& event) { return std::to_string(int_at(event, "index")); }

model::Delta usage_of(const Json& usage) {
  return delta::UsageUpdate{count_at(usage, "input_tokens"), count_at(usage, "output_tokens"),
                            count_at(usage, "cache_read_input_tokens"),
                            count_at(usage, "cache_creation_input_tokens"),
                            count_at(at(usage, "output_tokens_details"), "thinking_tokens")};
}

// What the service left out of the request or let pass; kinds it does not say yet are passed over.
void read_transformations(const Json& list, model::Deltas& out) {
  if (!list.is_array()) return;
  delta::Transformed transformed;
  for (const Json& each : list) {
    const std::string type = string_at(each, "type"), reason = string_at(each, "reason");
    if (type != "thinking_dropped" && type != "thinking_mismatch_allowed") continue;
    const auto known = std::ranges::find_if(
        transformed.all, [&](const auto& one) { return one.type == type && one.reason == reason; });
    if (known == transformed.all.end())
      transformed.all.push_back({type, reason});
    else
      ++known->count;
  }
  out.emplace_back(std::move(transformed));
}

model::Deltas message_start(const Json& event) {
  model::Deltas out;
  const Json& message = at(event, "message");
  if (const Json& usage = at(message, "usage"); usage.is_object()) out.push_back(usage_of(usage));
  read_transformations(at(message, "input_transformations"), out);
  return out;
}

model::Deltas block_start(const Json& event) {
  const std::string key = key_of(event);
  const Json& block = at(event, "content_block");
  const std::string type = string_at(block, "type");
  if (type == "text") return {delta::TextPiece{key, string_at(block, "text")}};
  if (type == "thinking") {
    model::Deltas out{delta::ThinkingPiece{key, string_at(block, "thinking")}};
    if (const std::string signature = string_at(block, "signature"); !signature.empty())
      out.emplace_back(delta::Signature{key, signature});
    return out;
  }
  if (type == "redacted_thinking") return {delta::Signature{key, string_at(block, "data"), true}};
  if (type == "tool_use") {
    model::Deltas out{delta::ToolStart{key, string_at(block, "id"), string_at(block, "name")}};
    if (const Json& input = at(block, "input"); input.is_object() && !input.empty())
      out.emplace_back(delta::ToolInput{key, dump(input)});
    return out;
  }
  if (!block.is_object()) return {};
  return {delta::Unknown{key, dump(block)}};
}

model::Deltas block_delta(const Json& event) {
  const std::string key = key_of(event);
  const Json& piece = at(event, "delta");
  const std::string type = string_at(piece, "type");
  if (type == "text_delta") return {delta::TextPiece{key, string_at(piece, "text")}};
  if (type == "input_json_delta") return {delta::ToolInput{key, string_at(piece, "partial_json")}};
  if (type == "thinking_delta") return {delta::ThinkingPiece{key, string_at(piece, "thinking")}};
  if (type == "signature_delta") return {delta::Signature{key, string_at(piece, "signature")}};
  if (type == "compaction_delta") {
    Json members = piece;
    members.erase("type");
    return {delta::ProviderData{key, dump(members)}};
  }
  return {};
}

model::Deltas block_stop(const Json& event) { return {delta::BlockEnd{key_of(event)}}; }

constexpr StopRow stops[] = {
    {"end_turn", model::Stop::stop},
    {"stop_sequence", model::Stop::stop},
    {"pause_turn", model::Stop::stop},
    {"tool_use", model::Stop::tool_use},
    {"max_tokens", model::Stop::length},
    {"model_context_window_exceeded", model::Stop::length},
    {"refusal", model::Stop::refusal},
    {"sensitive", model::Stop::refusal},
    {"content_filter", model::Stop::refusal},
};

model::Deltas message_delta(const Json& event) {
  model::Deltas out;
  if (const Json& usage = at(event, "usage"); usage.is_object()) out.push_back(usage_of(usage));
  const Json& change = at(event, "delta");
  // After a fallback inside the service: it was another model that was asked in the end.
  for (const Json* place : {&event, &change})
    read_transformations(at(*place, "input_transformations"), out);
  if (const std::string reason = string_at(change, "stop_reason"); !reason.empty()) {
    out.emplace_back(delta::StopReason{stop_for(stops, reason),
                                       string_at(at(change, "stop_details"), "explanation")});
  }
  return out;
}

model::Deltas message_stop(const Json&) { return {delta::Finished{}}; }

constexpr std::pair<std::string_view, model::Deltas (*)(const Json&)> events[] = {
    {"content_block_delta", block_delta},
    {"content_block_start", block_start},
    {"content_block_stop", block_stop},
    {"message_start", message_start},
    {"message_delta", message_delta},
    {"message_stop", message_stop},
    {"error", error_event},
};

model::Deltas decode(const SseEvent& event) {
  const std::optional<Json> json = parse_json(event.data);
  if (!json) return not_json();
  // Some servers put the error itself there, and its own type is then not the event's.
  if (event.name == "error") return error_event(*json);
  const std::string type = string_at(*json, "type", event.name);
  for (const auto& [name, read] : events)
    if (name == type) return read(*json);
  return {};
}

}  // namespace
}  // namespace anthropic_codec

const Codec anthropic_messages{"anthropic-messages", anthropic_codec::encode,
                               anthropic_codec::decode, explain};

}  // namespace skein::wire
