// OpenAI Responses: POST …/responses. Nothing is stored at the service; encrypted reasoning travels
// with the conversation instead.

#include "providers/wire/wire.h"

namespace skein::wire {

namespace openai_responses_codec {
namespace {

// ---- request

Json input_text(std::string_view text) { return {{"type", "input_text"}, {"text", text}}; }

Json input_image(const model::Image& image, const ModelFacts& facts) {
  if (const auto missing = missing_image(image, facts); !missing.empty())
    return input_text(missing);
  return {{"type", "input_image"}, {"image_url", data_url(image)}, {"detail", "auto"}};
}

// Appends what one message says to the items of a request.
struct ItemEncoder {
  Json& items;
  const model::ModelRef& model;
  const ModelFacts& facts;
  model::Role role;

  void operator()(const model::Text& block) const {
    if (block.text.empty()) return;
    if (role != model::Role::assistant) return add_user(input_text(block.text));
    const Json id = provider_member(block.provider_data, "id");
    Json phase = provider_member(block.provider_data, "phase");
    // An item of the API's own has an id; what another model said goes in the plain form.
    if (id.is_null()) {
      items.push_back({{"type", "message"}, {"role", "assistant"}, {"content", block.text}});
      if (!phase.is_null()) items.back()["phase"] = std::move(phase);
      return;
    }
    Json part{{"type", "output_text"}, {"text", block.text}, {"annotations", Json::array()}};
    // Parts of one message share its id.
    if (!items.empty() && at(items.back(), "id") == id) {
      items.back()["content"].push_back(std::move(part));
      return;
    }
    Json item{{"type", "message"}, {"role", "assistant"}, {"status", "completed"}, {"id", id}};
    if (!phase.is_null()) item["phase"] = std::move(phase);
    item["content"] = Json::array({std::move(part)});
    items.push_back(std::move(item));
  }
  void operator()(const model::Thinking& block) const {
    if (block.signature.empty()) return;  // not stored at the service, so it means nothing there
    Json item{{"type", "reasoning"}};
    item.update(parsed(block.provider_data));
    if (!item.contains("summary")) item["summary"] = Json::array();
    item["encrypted_content"] = block.signature;
    items.push_back(std::move(item));
  }
  void operator()(const model::Image& block) const { add_user(input_image(block, facts)); }
  void operator()(const model::ToolUse& block) const {
    Json item{{"type", "function_call"}};
    if (Json id = provider_member(block.provider_data, "id"); !id.is_null()) item["id"] = id;
    item["call_id"] = block.id;
    item["name"] = block.name;
    item["arguments"] = block.input;
    items.push_back(std::move(item));
  }
  void operator()(const model::ToolResult& block) const {
    const FlatResult flat = flatten(block, facts);
    Json output = flat.text;
    if (!flat.images.empty()) {
      output = Json::array({input_text(flat.text)});
      for (const model::Image* image : flat.images) output.push_back(input_image(*image, facts));
    }
    items.push_back(
        {{"type", "function_call_output"}, {"call_id", block.tool_use_id}, {"output", output}});
  }
  void operator()(const model::Opaque& block) const {
    if (block.provider == model.provider) items.push_back(parsed(block.raw));
  }

 private:
  void add_user(Json part) const {
    if (items.empty() || string_at(items.back(), "role") != "user")
      items.push_back({{"type", "message"}, {"role", "user"}, {"content", Json::array()}});
    items.back()["content"].push_back(std::move(part));
  }
};

Json items_of(const model::Context& context, const model::ModelRef& model,
              const ModelFacts& facts) {
  Json items = Json::array();
  for (const model::Message& message : context.messages) {
    for (const model::Block& block : message.content)
      std::visit(ItemEncoder{items, model, facts, message.role}, block);
    // Reasoning that nothing followed is refused.
    while (!items.empty() && string_at(items.back(), "type") == "reasoning")
      items.erase(items.size() - 1);
  }
  return items;
}

constexpr std::int64_t least_output = 16;  // less is refused
constexpr std::size_t longest_key = 64;

WireRequest encode(const model::Context& context, const model::ModelRef& model,
                   const ModelFacts& facts) {
  Json body{{"model", model.model}, {"stream", true}, {"store", false}};
  if (!context.system.empty()) body["instructions"] = context.system;
  if (const std::int64_t limit = max_output(model, facts); limit > 0)
    body["max_output_tokens"] = std::max(limit, least_output);
  // Requests of one conversation find the same cache more often.
  if (!context.session.empty())
    body["prompt_cache_key"] = utf8_prefix(context.session, longest_key);
  if (facts.thinking != ThinkingStyle::none)
    body["include"] = Json::array({"reasoning.encrypted_content"});
  if (const std::string level = effort(model, facts); !level.empty()) {
    body["reasoning"] = {{"effort", level}};
    if (model.thinking != model::ThinkingLevel::off) body["reasoning"]["summary"] = "auto";
  }
  for (const model::ToolSpec& tool : context.tools)
    body["tools"].push_back({{"type", "function"},
                             {"name", tool.name},
                             {"description", tool.description},
                             {"parameters", parsed(tool.schema)},
                             {"strict", false}});
  body["input"] = items_of(context, model, facts);
  return {"/responses", {{"content-type", "application/json"}}, dump(body)};
}

// ---- answer

// Some servers leave the indexes out, some change the ids: the index counts where there is one.
std::string key_of(const Json& event) {
  if (const auto index = count_at(event, "output_index")) return std::to_string(*index);
  const std::string id = string_at(event, "item_id");
  return id.empty() ? string_at(at(event, "item"), "id") : id;
}

std::string part_key(const std::string& item, std::int64_t part) {
  return item + '/' + std::to_string(part);
}

std::string part_key(const Json& event) {
  return part_key(key_of(event), int_at(event, "content_index"));
}

model::Deltas text_delta(const Json& event) {
  return {delta::TextPiece{part_key(event), string_at(event, "delta")}};
}

model::Deltas thinking_delta(const Json& event) {
  return {delta::ThinkingPiece{key_of(event), string_at(event, "delta")}};
}

// A summary comes in parts that are paragraphs.
model::Deltas summary_part_added(const Json& event) {
  if (int_at(event, "summary_index") == 0) return {};
  return {delta::ThinkingPiece{key_of(event), "\n\n"}};
}

model::Deltas arguments_delta(const Json& event) {
  return {delta::ToolInput{key_of(event), string_at(event, "delta")}};
}

// Opens the blocks that are shown as they grow; the rest waits until it is done.
model::Deltas item_added(const Json& event) {
  const Json& item = at(event, "item");
  const std::string type = string_at(item, "type");
  if (type == "function_call")
    return {delta::ToolStart{key_of(event), string_at(item, "call_id"), string_at(item, "name")}};
  if (type == "reasoning") return {delta::ThinkingPiece{key_of(event), ""}};
  return {};
}

model::Deltas call_done(const std::string& key, const Json& item) {
  model::Deltas out{delta::ToolStart{key, string_at(item, "call_id"), string_at(item, "name")},
                    delta::ToolInput{key, string_at(item, "arguments"), true}};
  if (const std::string id = string_at(item, "id"); !id.empty())
    out.emplace_back(delta::ProviderData{key, dump({{"id", id}})});
  if (string_at(item, "status") != "incomplete") out.emplace_back(delta::BlockEnd{key});
  return out;
}

model::Deltas message_done(const std::string& key, const Json& item) {
  model::Deltas out;
  Json members = Json::object();
  for (const char* member : {"id", "phase"})
    if (const Json& value = at(item, member); value.is_string()) members[member] = value;
  const auto parts = static_cast<std::int64_t>(list_at(item, "content").size());
  for (std::int64_t i = 0; i < parts && !members.empty(); ++i)
    out.emplace_back(delta::ProviderData{part_key(key, i), dump(members)});
  return out;
}

model::Deltas reasoning_done(const std::string& key, const Json& item) {
  Json members = item;
  for (const char* member : {"type", "encrypted_content", "status"}) members.erase(member);
  return {delta::Signature{key, string_at(item, "encrypted_content")},
          delta::ProviderData{key, dump(members)}, delta::BlockEnd{key}};
}

model::Deltas item_done(const Json& event) {
  const std::string key = key_of(event);
  const Json& item = at(event, "item");
  const std::string type = string_at(item, "type");
  if (type == "function_call") return call_done(key, item);
  if (type == "message") return message_done(key, item);
  if (type == "reasoning") return reasoning_done(key, item);
  if (!item.is_object()) return {};
  return {delta::Unknown{key, dump(item)}, delta::BlockEnd{key}};
}

bool refused(const Json& response) {
  for (const Json& item : list_at(response, "output"))
    for (const Json& part : list_at(item, "content"))
      if (string_at(part, "type") == "refusal") return true;
  return false;
}

// The terminal events. The status says how it ended; the event's name is not always right.
model::Deltas ended(const Json& event) {
  const Json& response = at(event, "response");
  model::Deltas out;
  if (const Json& usage = at(response, "usage"); usage.is_object())
    out.emplace_back(openai_usage(usage, "input_tokens", "output_tokens"));
  const std::string type = string_at(event, "type");
  const std::string status = string_at(response, "status", type.substr(type.find('.') + 1));
  if (status == "failed" || status == "cancelled") {
    out.emplace_back(failure(at(response, "error")));
    return out;
  }
  model::Stop stop = refused(response) ? model::Stop::refusal : model::Stop::stop;
  if (status == "incomplete") {
    const std::string why = string_at(at(response, "incomplete_details"), "reason");
    stop = why == "content_filter" ? model::Stop::refusal : model::Stop::length;
  }
  out.emplace_back(delta::StopReason{stop});
  out.emplace_back(delta::Finished{});
  return out;
}

constexpr std::pair<std::string_view, model::Deltas (*)(const Json&)> events[] = {
    {"response.output_text.delta", text_delta},
    {"response.refusal.delta", text_delta},
    {"response.function_call_arguments.delta", arguments_delta},
    {"response.reasoning_summary_text.delta", thinking_delta},
    {"response.reasoning_text.delta", thinking_delta},
    {"response.reasoning_summary_part.added", summary_part_added},
    {"response.output_item.added", item_added},
    {"response.output_item.done", item_done},
    {"response.completed", ended},
    {"response.incomplete", ended},
    {"response.failed", ended},
    {"error", error_event},
};

model::Deltas decode(const SseEvent& event) {
  if (event.data == "[DONE]") return {};  // compatible servers add it
  const std::optional<Json> json = parse_json(event.data);
  if (!json) return not_json();
  const std::string type = string_at(*json, "type", event.name);
  for (const auto& [name, read] : events)
    if (name == type) return read(*json);
  if (const Json& inner = at(*json, "error"); type.empty() && inner.is_object())
    return {failure(inner)};
  return {};
}

}  // namespace
}  // namespace openai_responses_codec

const Codec openai_responses{"openai-responses", openai_responses_codec::encode,
                             openai_responses_codec::decode, explain};

}  // namespace skein::wire
