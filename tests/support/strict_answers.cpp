// What the strict services say: whole streams of events, with everything signed that they sign.
#include "tests/support/strict_service.h"

namespace skein::test {

namespace {

std::string event(const Json& data) {
  const std::string name = string_at(data, "type");
  return (name.empty() ? "" : "event: " + name + "\n") + "data: " + dump(data) + "\n\n";
}

const Json input{{"path", "a.txt"}};

Json text_block(const std::string& text) { return {{"type", "text"}, {"text", text}}; }
Json call_block(const std::string& id) {
  return {{"type", "tool_use"}, {"id", id}, {"name", "read"}, {"input", input}};
}

}  // namespace

// Base64, as Google wants it.
std::string StrictService::new_seal(const char* kind) {
  std::string seal = kind + std::to_string(++made_);
  seal.resize((seal.size() + 3) / 4 * 4, 'A');
  return seal;
}

std::string StrictService::say_anthropic(const StrictModel& model, const Json& body,
                                         const Said& said) {
  const std::string type = string_at(at(body, "thinking"), "type");
  // A model that is bound to its past thinks unless it is told not to.
  const bool thinks = said.thinks && (type == "enabled" || type == "adaptive" ||
                                      (type.empty() && model.prefix_bound));
  Json message{{"usage", {{"input_tokens", 7}, {"output_tokens", 1}}}};
  if (!transformations_.empty()) message["input_transformations"] = transformations_;
  std::string out = event({{"type", "message_start"}, {"message", message}});
  int index = 0;
  const auto block = [&](const Json& started) {
    out += event({{"type", "content_block_start"}, {"index", index}, {"content_block", started}});
    out += event({{"type", "content_block_stop"}, {"index", index++}});
  };
  if (thinks) {
    const std::string seal = new_seal("claude");
    thoughts_[seal] = {model.model, past_of(Json::array(), pasts_.size() - 1, 0), last_thought_,
                       model.prefix_bound};
    block({{"type", "thinking"}, {"thinking", "let me think"}, {"signature", seal}});
  }
  if (!said.text.empty()) block(text_block(said.text));
  for (const std::string& id : said.calls) block(call_block(id));
  out += event({{"type", "message_delta"},
                {"delta", {{"stop_reason", said.calls.empty() ? "end_turn" : "tool_use"}}},
                {"usage", {{"output_tokens", 3}}}});
  return out + event({{"type", "message_stop"}});
}

std::string StrictService::say_chat(const Said& said) const {
  const auto chunk = [](const Json& delta, const Json& finish) {
    return "data: " +
           dump({{"id", "c"},
                 {"object", "chat.completion.chunk"},
                 {"choices",
                  Json::array({{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}})}}) +
           "\n\n";
  };
  std::string out;
  if (said.thinks) out += chunk({{"reasoning_content", "let me think"}}, nullptr);
  if (!said.text.empty()) out += chunk({{"content", said.text}}, nullptr);
  for (std::size_t i = 0; i < said.calls.size(); ++i)
    out += chunk({{"tool_calls",
                   Json::array({{{"index", i},
                                 {"id", said.calls[i]},
                                 {"type", "function"},
                                 {"function", {{"name", "read"}, {"arguments", dump(input)}}}}})}},
                 nullptr);
  return out + chunk(Json::object(), said.calls.empty() ? "stop" : "tool_calls") +
         "data: [DONE]\n\n";
}

std::string StrictService::say_responses(const StrictModel& model, const Said& said) {
  std::string out, reasoning;
  int index = 0;
  const auto item = [&](const Json& value) {
    out +=
        event({{"type", "response.output_item.added"}, {"output_index", index}, {"item", value}});
    if (string_at(value, "type") == "message")
      out += event({{"type", "response.output_text.delta"},
                    {"output_index", index},
                    {"content_index", 0},
                    {"delta", said.text}});
    out +=
        event({{"type", "response.output_item.done"}, {"output_index", index++}, {"item", value}});
    if (!reasoning.empty() && string_at(value, "type") != "reasoning")
      needs_[string_at(value, "id")] = reasoning;
  };
  if (said.thinks) {
    const std::string seal = new_seal("gpt");
    seals_[seal] = model.model;
    reasoning = "rs_" + std::to_string(made_);
    item({{"type", "reasoning"},
          {"id", reasoning},
          {"summary", Json::array()},
          {"encrypted_content", seal}});
  }
  if (!said.text.empty())
    item({{"type", "message"},
          {"id", "msg_" + std::to_string(++made_)},
          {"role", "assistant"},
          {"content", Json::array({{{"type", "output_text"}, {"text", said.text}}})}});
  for (const std::string& id : said.calls)
    item({{"type", "function_call"},
          {"id", "fc_" + std::to_string(++made_)},
          {"call_id", id},
          {"name", "read"},
          {"arguments", dump(input)}});
  return out + event({{"type", "response.completed"},
                      {"response", {{"status", "completed"}, {"output", Json::array()}}}});
}

std::string StrictService::say_google(const StrictModel& model, const Said& said) {
  Json parts = Json::array();
  const auto sign = [&](Json& part) {
    if (!model.signs) return;
    const std::string seal = new_seal("gem");
    seals_[seal] = model.model;
    part["thoughtSignature"] = seal;
  };
  if (said.thinks) parts.push_back({{"text", "let me think"}, {"thought", true}});
  if (!said.text.empty()) {
    parts.push_back({{"text", said.text}});
    if (said.calls.empty()) sign(parts.back());
  }
  for (std::size_t i = 0; i < said.calls.size(); ++i) {
    Json call{{"name", "read"}, {"args", input}};
    if (model.signs) call["id"] = said.calls[i];
    parts.push_back({{"functionCall", call}});
    if (i == 0) sign(parts.back());
  }
  return "data: " +
         dump({{"candidates", Json::array({{{"content", {{"role", "model"}, {"parts", parts}}},
                                            {"finishReason", "STOP"}}})}}) +
         "\n\n";
}

}  // namespace skein::test
