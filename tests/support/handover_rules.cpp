#include "tests/support/handover_rules.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/handover/carry_over.h"
#include "core/text/request_text.h"

namespace skein::test {

namespace {

bool is_assistant(const model::Message& message) { return message.role == model::Role::assistant; }

// The rules for one message alone.
class BlockRules {
 public:
  BlockRules(const model::Message& message, const handover::Target& target,
             std::vector<std::string>& broken)
      : message_(message), target_(target), broken_(broken) {}

  void operator()(const model::Text& block) {
    const bool carrier = target_.wire == handover::WireFormat::google && is_assistant(message_) &&
                         block.provider_data.find("thoughtSignature") != std::string::npos;
    check(message_.role != model::Role::tool, "a tool message holds a text beside its results");
    check(carrier || !is_blank(block.text), "a text is blank");
    check(is_sendable(block.text), "a text is not sendable");
    check_data(block.provider_data);
  }
  void operator()(const model::Thinking& block) {
    check(is_assistant(message_), "thinking of someone who is no model");
    check(is_sendable(block.thinking) && is_sendable(block.signature), "thinking is not sendable");
    check_data(block.provider_data);
    const bool sealed =
        !block.signature.empty() ||
        (target_.wire == handover::WireFormat::openai_chat && !block.provider_data.empty());
    const bool unsealed = target_.unsigned_thinking || target_.reasoning_always;
    check(sealed || (unsealed && !block.redacted), "thinking without a signature");
    check(sealed || !is_blank(block.thinking), "thinking is blank");
    if (target_.wire == handover::WireFormat::google && !block.signature.empty())
      check(is_base64(block.signature), "a signature is not base64");
  }
  void operator()(const model::Image& block) {
    check(message_.role == model::Role::user ||
              (is_assistant(message_) && target_.wire == handover::WireFormat::google),
          "an image where none may be");
    check(handover::takes(block, target_), "an image the target does not take");
    check_data(block.provider_data);
  }
  void operator()(const model::ToolUse& block) {
    check(is_assistant(message_), "a call by someone who is no model");
    check(handover::fits(block.id, target_.ids), "a call's id does not fit");
    check(handover::is_tool_name(block.name), "a call's name is none");
    check(is_sendable_object(block.input), "a call's input is no sendable object");
    check_data(block.provider_data);
  }
  void operator()(const model::ToolResult& block) {
    check(message_.role == model::Role::tool, "a result outside of a tool message");
    check(!block.content.empty(), "a result is empty");
    check_data(block.provider_data);
    for (const model::ResultBlock& each : block.content) {
      if (const auto* text = std::get_if<model::Text>(&each)) {
        check(!is_blank(text->text) && is_sendable(text->text), "a result's text is refused");
        check_data(text->provider_data);
      } else if (const auto* image = std::get_if<model::Image>(&each)) {
        check(target_.images_in_results && handover::takes(*image, target_) &&
                  !(target_.wire == handover::WireFormat::anthropic && block.is_error),
              "a result's image is refused");
      } else if (const auto* opaque = std::get_if<model::Opaque>(&each)) {
        check_opaque(*opaque);
      }
    }
  }
  void operator()(const model::Opaque& block) {
    check(is_assistant(message_), "a provider's block outside of a reply");
    check_opaque(block);
  }

  void check(bool kept, std::string_view broken) {
    if (!kept) broken_.emplace_back(broken);
  }

 private:
  void check_data(const JsonText& data) {
    check(data.empty() || is_sendable_object(data), "provider data is no sendable object");
    check(data.empty() || message_.role != model::Role::user, "provider data on the user's words");
  }
  void check_opaque(const model::Opaque& block) {
    check(block.provider == target_.provider, "a block only another provider can read");
    check(is_sendable_object(block.raw), "a provider's block is no sendable object");
  }

  const model::Message& message_;
  const handover::Target& target_;
  std::vector<std::string>& broken_;
};

void check_answers(const std::vector<model::Message>& messages, std::size_t i, BlockRules& rules) {
  std::vector<std::string> calls, answers;
  for (const model::ToolUse* call : model::tool_uses(messages[i])) calls.push_back(call->id);
  const bool has_tool = i + 1 < messages.size() && messages[i + 1].role == model::Role::tool;
  if (has_tool)
    for (const model::Block& block : messages[i + 1].content)
      if (const auto* result = std::get_if<model::ToolResult>(&block))
        answers.push_back(result->tool_use_id);
  rules.check(calls == answers, "calls and results do not match");
  rules.check(!has_tool || !calls.empty(), "results without a call");
}

// Only the texts of one message share the id of their item.
void check_items(const model::Message& message, std::unordered_set<std::string>& ids,
                 BlockRules& rules) {
  std::string last;
  for (const model::Block& block : message.content) {
    const std::string id = handover::item_id(block);
    const bool text = std::holds_alternative<model::Text>(block);
    if (!id.empty() && !(text && id == last))
      rules.check(ids.insert(id).second, "two items share an id");
    last = text ? id : "";
  }
}

void check_end(const model::Message& message, const handover::Target& target, BlockRules& rules) {
  bool speaks = false;
  for (const model::Block& block : message.content)
    speaks = speaks || !std::holds_alternative<model::Thinking>(block);
  rules.check(speaks, "a reply of nothing but thinking");
  rules.check(target.ends_in_thinking || message.content.empty() ||
                  !std::holds_alternative<model::Thinking>(message.content.back()),
              "a reply ends in thinking");
  const auto is_thinking = [](const model::Block& block) {
    return std::holds_alternative<model::Thinking>(block);
  };
  if (target.wire == handover::WireFormat::anthropic && !target.prefix_bound &&
      !message.content.empty() && !is_thinking(message.content.front()))
    rules.check(std::ranges::none_of(message.content, is_thinking), "thinking that is not first");
  rules.check(handover::same_model(message, target), "a reply does not bear the target's name");
}

}  // namespace

std::vector<std::string> violations(const std::vector<model::Message>& messages,
                                    const handover::Target& target) {
  std::vector<std::string> broken;
  std::unordered_set<std::string> ids, items;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const model::Message& message = messages[i];
    const std::size_t known = broken.size();
    BlockRules rules(message, target, broken);

    rules.check(!message.content.empty(), "a message is empty");
    for (const model::Block& block : message.content) std::visit(rules, block);
    for (const model::ToolUse* call : model::tool_uses(message))
      rules.check(ids.insert(call->id).second, "two calls share an id");
    if (is_assistant(message)) {
      if (target.wire == handover::WireFormat::openai_responses) check_items(message, items, rules);
      check_answers(messages, i, rules);
      check_end(message, target, rules);
    }

    const model::Role* before = i == 0 ? nullptr : &messages[i - 1].role;
    if (!before)
      rules.check(message.role == model::Role::user, "the first message is not the user's");
    if (before && *before == message.role) rules.check(false, "a role speaks twice in a row");
    if (message.role == model::Role::tool)
      rules.check(before && *before == model::Role::assistant, "results do not follow a reply");
    if (message.role == model::Role::user && before && *before == model::Role::tool)
      rules.check(target.bridge_text.empty(), "the user speaks directly after results");

    for (std::size_t k = known; k < broken.size(); ++k)
      broken[k].insert(0, "message " + std::to_string(i) + ": ");
  }
  return broken;
}

}  // namespace skein::test
