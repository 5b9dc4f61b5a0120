#include "tests/support/strict_service.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace skein::test {

namespace {

constexpr std::string_view binding_beta = "thinking-binding-controls-2026-08-01";
constexpr const char* stand_in = "skip_thought_signature_validator";

bool is_thinking(const Json& block) {
  const std::string type = string_at(block, "type");
  return type == "thinking" || type == "redacted_thinking";
}

bool has(const Json& list, std::string_view type) {
  return std::ranges::any_of(list,
                             [&](const Json& block) { return string_at(block, "type") == type; });
}

std::string place(std::size_t message, std::size_t block) {
  return "messages." + std::to_string(message) + ".content." + std::to_string(block);
}

// Without marks of the cache and thoughts: neither is part of a past.
Json plain(const Json& value) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& each : value)
      if (!is_thinking(each)) out.push_back(plain(each));
    return out;
  }
  if (!value.is_object()) return value;
  Json out = Json::object();
  for (const auto& [key, each] : value.items())
    if (key != "cache_control") out[key] = plain(each);
  return out;
}

std::string judge_loop(const StrictModel& model, const Json& body) {
  const Json& messages = body["messages"];
  std::size_t last = messages.size();
  while (last > 0 && messages[last - 1]["role"] != "assistant") --last;
  if (last == messages.size())
    return "This model does not support assistant message prefill. The conversation must end with "
           "a user message.";
  if (last == 0 || !has(messages[last]["content"], "tool_result")) return {};
  const Json& content = messages[last - 1]["content"];
  const std::string type = string_at(at(body, "thinking"), "type");
  const std::string where = "messages." + std::to_string(last - 1) + ".content.0.type";
  if (type == "enabled" && !is_thinking(content.front()))
    return where + ": Expected `thinking` or `redacted_thinking`, but found `" +
           string_at(content.front(), "type") +
           "`. When `thinking` is enabled, a final `assistant` message must start with a thinking "
           "block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).";
  if ((type == "disabled" || (type.empty() && model.budget)) &&
      std::ranges::any_of(content, is_thinking))
    return "When thinking is disabled, an `assistant` message in the final position cannot contain "
           "`thinking`.";
  return {};
}

std::string judge_settings(const StrictModel& model, const Json& body, std::string_view betas) {
  const Json& thinking = at(body, "thinking");
  const std::string type = string_at(thinking, "type");
  if (thinking.contains("block_binding") && betas.find(binding_beta) == std::string_view::npos)
    return "thinking.adaptive.block_binding: Extra inputs are not permitted";
  if (type == "disabled" && thinking.contains("block_binding"))
    return "thinking.disabled.block_binding: Extra inputs are not permitted";
  if (type == "enabled" && !model.budget)
    return "\"thinking.type.enabled\" is not supported for this model. Use "
           "\"thinking.type.adaptive\" and \"output_config.effort\".";
  if (type == "adaptive" && model.budget) return "adaptive thinking is not supported on this model";
  if (type == "disabled" && model.prefix_bound)
    return "\"thinking.type.disabled\" is not supported for this model.";
  for (const char* gone : {"temperature", "top_p", "top_k"})
    if (body.contains(gone)) return std::string(gone) + ": not supported for this model";
  return {};
}

std::string judge_error_results(const Json& content, std::size_t message) {
  for (std::size_t i = 0; i < content.size(); ++i)
    if (bool_at(content[i], "is_error") && content[i]["content"].is_array() &&
        has(content[i]["content"], "image"))
      return place(message, i) + ": all content must be type \"text\" if \"is_error\" is true";
  return {};
}

}  // namespace

std::string StrictService::past_of(const Json& content, std::size_t message,
                                   std::size_t block) const {
  Json before = Json::array();
  for (std::size_t i = 0; i < block; ++i) before.push_back(content[i]);
  return pasts_[message] + dump(plain(before));
}

// Of each message, and of the answer that would follow: everything before it, in a few digits.
void StrictService::note_pasts(const Json& body) {
  std::size_t past = 0;
  const auto add = [&](const Json& value) {
    past = std::hash<std::string>()(std::to_string(past) + dump(plain(value)));
  };
  add(at(body, "system"));
  add(at(body, "tools"));
  pasts_.clear();
  for (const Json& message : at(body, "messages")) {
    pasts_.push_back(std::to_string(past) + " ");
    add(message);
  }
  pasts_.push_back(std::to_string(past) + " ");
}

std::string StrictService::judge_thoughts(const StrictModel& model, const Json& body,
                                          std::size_t message) {
  const Json& content = body["messages"][message]["content"];
  if (!model.prefix_bound && !is_thinking(content.front()) &&
      std::ranges::any_of(content, is_thinking))
    return place(message, 0) +
           ": If an assistant message contains any thinking blocks, the first block must be "
           "`thinking` or `redacted_thinking`. Found `" +
           string_at(content.front(), "type") + "`.";
  if (is_thinking(content.back()))
    return "messages." + std::to_string(message) +
           ": The final block in an assistant message cannot be `thinking`.";
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (string_at(content[i], "type") != "thinking") continue;
    const std::string signature = string_at(content[i], "signature");
    const auto known = thoughts_.find(signature);
    const std::string bad = place(message, i) + ": Invalid `signature` in `thinking` block";
    if (known == thoughts_.end()) return bad;
    const Bound& bound = known->second;
    const bool in_order = last_thought_.empty() || last_thought_ == bound.thought_before;
    last_thought_ = signature;
    const auto report = [&](const char* reason) {
      transformations_.push_back(
          {{"type", "thinking_dropped"}, {"path", place(message, i)}, {"reason", reason}});
    };
    if (bound.model != model.model) {
      report("model_binding_mismatch");
    } else if (bound.to_past && (!in_order || bound.past != past_of(content, message, i))) {
      const Json& binding = at(at(body, "thinking"), "block_binding");
      if (string_at(binding, "prefix_mismatch_behavior") != "drop_block")
        return bad +
               ". The block is bound to a different conversation. Remove the block, or set "
               "`thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".";
      report("prefix_binding_mismatch");
    }
  }
  return {};
}

std::string StrictService::judge_anthropic(const StrictModel& model, const Json& body,
                                           std::string_view betas) {
  last_thought_.clear();
  note_pasts(body);
  if (std::string why = judge_settings(model, body, betas); !why.empty()) return why;
  const Json& messages = body["messages"];
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::string why = messages[i]["role"] == "assistant"
                          ? judge_thoughts(model, body, i)
                          : judge_error_results(messages[i]["content"], i);
    if (!why.empty()) return why;
  }
  return judge_loop(model, body);
}

std::string StrictService::judge_chat(const StrictModel& model, const Json& body) const {
  if (!body.contains("tools")) return {};
  const std::string effort = string_at(body, "reasoning_effort");
  if (model.responses_only && effort != "none")
    return "Function tools with reasoning_effort are not supported for " + model.model +
           " in /v1/chat/completions. Please use /v1/responses instead.";
  for (const Json& message : body["messages"])
    if (model.reasons_always && message["role"] == "assistant" &&
        !at(message, "reasoning_content").is_string())
      return "The `reasoning_content` in the thinking mode must be passed back to the API.";
  return {};
}

std::string StrictService::judge_responses(const StrictModel& model, const Json& body) const {
  if (const Json& limit = at(body, "max_output_tokens"); limit.is_number() && limit < 16)
    return "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.";
  std::set<std::string> reasoning;
  const Json& input = body["input"];
  for (std::size_t i = 0; i < input.size(); ++i) {
    const std::string id = string_at(input[i], "id"), type = string_at(input[i], "type");
    // llama-server's words; OpenAI's own service takes such an item.
    if (type.empty() && string_at(input[i], "role") != "user")
      return "Cannot determine type of 'item'";
    if (id.size() > 64)
      return "Invalid 'input[" + std::to_string(i) +
             "].id': string too long. Expected a string "
             "with maximum length 64.";
    if (type == "reasoning") {
      const auto seal = seals_.find(string_at(input[i], "encrypted_content"));
      if (seal == seals_.end() || seal->second != model.model)
        return "The encrypted content for item " + id + " could not be verified.";
      if (i + 1 == input.size() || string_at(input[i + 1], "role") == "user")
        return "Item '" + id +
               "' of type 'reasoning' was provided without its required following "
               "item.";
      reasoning.insert(id);
    }
    const auto needs = needs_.find(id);
    if (needs != needs_.end() && !reasoning.contains(needs->second))
      return "Item '" + id + "' of type '" + type +
             "' was provided without its required 'reasoning' item: '" + needs->second + "'.";
  }
  return {};
}

std::string StrictService::judge_google(const StrictModel& model, const Json& body) const {
  const Json& contents = body["contents"];
  const auto has_part = [](const Json& content, const char* kind) {
    return std::ranges::any_of(content["parts"],
                               [&](const Json& part) { return part.contains(kind); });
  };
  std::size_t running = contents.size();
  while (running > 0 && (contents[running - 1]["role"] != "user" ||
                         has_part(contents[running - 1], "functionResponse")))
    --running;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    bool first = true;
    for (const Json& part : contents[i]["parts"]) {
      const std::string signature = string_at(part, "thoughtSignature");
      const auto seal = seals_.find(signature);
      if (!signature.empty() && signature != stand_in &&
          (seal == seals_.end() || seal->second != model.model))
        return "Corrupted thought signature.";
      for (const char* kind : {"functionCall", "functionResponse"})
        if (model.signs && part.contains(kind) && string_at(part[kind], "id").empty())
          return std::string("id is required in ") + kind + " parts.";
      if (!part.contains("functionCall")) continue;
      if (model.signs && i >= running && std::exchange(first, false) && signature.empty())
        return "Function call is missing a thought_signature in functionCall parts. This is "
               "required for tools to work correctly.";
    }
  }
  return {};
}

ServiceAnswer StrictService::answer(const StrictModel& model, const std::string& body,
                                    std::string_view betas, const Said& said) {
  transformations_ = Json::array();
  const std::optional<Json> parsed = parse_json(body);
  std::string why = parsed ? "" : "bad json";
  using enum handover::WireFormat;
  if (why.empty())
    why = model.wire == anthropic          ? judge_anthropic(model, *parsed, betas)
          : model.wire == openai_chat      ? judge_chat(model, *parsed)
          : model.wire == openai_responses ? judge_responses(model, *parsed)
                                           : judge_google(model, *parsed);
  if (!why.empty())
    return {400, dump({{"type", "error"},
                       {"error", {{"type", "invalid_request_error"}, {"message", why}}}})};
  return {200, model.wire == anthropic          ? say_anthropic(model, *parsed, said)
               : model.wire == openai_chat      ? say_chat(said)
               : model.wire == openai_responses ? say_responses(model, said)
                                                : say_google(model, said)};
}

}  // namespace skein::test
