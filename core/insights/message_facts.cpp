#include "core/insights/message_facts.h"

#include "core/model/tool.h"
#include "core/text/json.h"

namespace skein::insights {

namespace {

using Kind = MessageFacts::Kind;

// Calls are found at the top of the content alone: what a call is given may look like one.
// False: a block is not in our writer's form.
bool read_calls(std::string_view content, std::vector<MessageFacts::Call>& out) {
  if (content.find(R"("tool_use")") == std::string_view::npos) return true;
  content.remove_prefix(1);
  while (content.starts_with('{')) {
    const std::size_t length = bracketed_length(content);
    if (length == 0) return false;
    std::string_view block = content.substr(0, length);
    content.remove_prefix(length);
    model::take(content, ",");
    if (!model::take(block, R"({"type":)")) return false;
    std::string_view type, id, name;
    if (!model::take_word(block, type) || type != "tool_use") continue;
    if (!model::take(block, R"(,"id":)") || !model::take_word(block, id) ||
        !model::take(block, R"(,"name":)") || !model::take_word(block, name))
      return false;
    out.push_back({id, name});
  }
  return content == "]";
}

bool read_raw_answer(std::string_view body, MessageFacts& out) {
  const std::optional<model::RawAnswer> answer = model::read_answer(body);
  if (!answer || !read_calls(answer->content, out.calls)) return false;
  out.kind = Kind::answer;
  static_cast<model::AnswerFooter&>(out) = answer->footer;
  out.empty = answer->content == "[]";
  return true;
}

void read_parsed(MessageFacts& out) {
  const model::Message& message = *out.parsed;
  for (const model::Block& block : message.content)
    if (const auto* result = std::get_if<model::ToolResult>(&block); result && result->is_error)
      out.failures.push_back({result->tool_use_id, model::was_refused(*result)});
  if (message.role == model::Role::tool) out.kind = Kind::results;
  if (message.role == model::Role::user)
    out.kind = message.continuation ? Kind::other : Kind::prompt;
  if (message.role != model::Role::assistant) return;
  out.kind = Kind::answer;
  out.provider = message.provider;
  out.model = message.model;
  out.usage = message.usage;
  out.empty = message.content.empty();
  out.duration_ms = message.duration_ms;
  out.first_token_ms = message.first_token_ms;
  for (const model::ToolUse* call : model::tool_uses(message))
    out.calls.push_back({call->id, call->name});
}

}  // namespace

MessageFacts facts_of_message(std::string_view body) {
  MessageFacts out;
  if (body.starts_with(R"({"role":"user","content")")) {
    out.kind = Kind::prompt;
    return out;
  }
  if (body.starts_with(R"({"role":"tool")") &&
      body.find(R"("isError":true)") == std::string_view::npos) {
    out.kind = Kind::results;
    return out;
  }
  if (read_raw_answer(body, out)) return out;
  const std::string_view payload = body.substr(0, bracketed_length(body));
  out = {};
  if (payload.size() < body.size() && read_raw_answer(payload, out)) return out;
  out = {};
  if (std::optional<model::Message> message = model::message_from_json(payload)) {
    out.parsed = std::make_unique<model::Message>(*std::move(message));
    read_parsed(out);
  }
  return out;
}

}  // namespace skein::insights
