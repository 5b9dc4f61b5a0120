#include "core/exchange/importers/pi_message.h"

#include <initializer_list>
#include <utility>
#include <vector>

#include "core/exchange/importers/foreign_values.h"

namespace skein::exchange::importers {

namespace {

// Members that would be sealed for a provider, or that only pi itself can use.
bool pi_has_more(const Json& object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Json& member = at(object, name);
    if (!member.is_null() && member != false) return true;
  }
  return false;
}

struct PiBlocks {
  Receiver& receiver;
  bool more = false;
  std::vector<model::Block> blocks{};

  void add_image(const Json& block) {
    if (auto image = kept_image(receiver, string_at(block, "mimeType"), string_at(block, "data")))
      blocks.emplace_back(*std::move(image));
    else
      receiver.lose("images that cannot be read");
  }

  // Thinking that was signed is kept as text: no other conversation may send it back.
  void add_thinking(const Json& block) {
    if (std::string text = string_at(block, "thinking");
        !text.empty() && !bool_at(block, "redacted"))
      blocks.emplace_back(model::Thinking{.thinking = std::move(text)});
    else
      more = true;
  }

  void add(const Json& block) {
    more |= pi_has_more(
        block, {"textSignature", "thinkingSignature", "redacted", "thoughtSignature", "namespace"});
    const std::string type = string_at(block, "type");
    if (type == "text") {
      if (std::string text = string_at(block, "text"); !text.empty())
        blocks.emplace_back(model::Text{std::move(text)});
    } else if (type == "thinking") {
      add_thinking(block);
    } else if (type == "image") {
      add_image(block);
    } else if (type == "toolCall") {
      blocks.emplace_back(model::ToolUse{.id = string_at(block, "id"),
                                         .name = string_at(block, "name"),
                                         .input = call_input(at(block, "arguments"))});
    } else {
      more = true;
      receiver.lose("blocks of unknown kinds");
    }
  }

  void add_all(const Json& content) {
    if (content.is_string() && !content.get_ref<const std::string&>().empty())
      blocks.emplace_back(model::Text{content.get<std::string>()});
    else if (content.is_array())
      for (const Json& block : content) add(block);
  }
};

model::Stop pi_stop(const Json& message, const std::vector<model::Block>& blocks) {
  constexpr std::pair<std::string_view, model::Stop> stops[] = {
      {"stop", model::Stop::stop},           {"length", model::Stop::length},
      {"toolUse", model::Stop::tool_use},    {"error", model::Stop::error},
      {"aborted", model::Stop::aborted},     {"pending", model::Stop::interrupted},
      {"deferred", model::Stop::interrupted}};
  const std::string reason = string_at(message, "stopReason");
  for (const auto& [name, stop] : stops)
    if (name == reason) return stop;
  for (const model::Block& block : blocks)
    if (std::holds_alternative<model::ToolUse>(block)) return model::Stop::tool_use;
  return model::Stop::stop;
}

PiMessage pi_answer(const Json& message, Receiver& receiver) {
  PiBlocks content{receiver};
  content.add_all(at(message, "content"));
  model::Message answer{.role = model::Role::assistant,
                        .provider = string_at(message, "provider"),
                        .model = string_at(message, "model"),
                        .stop = pi_stop(message, content.blocks),
                        .error = string_at(message, "errorMessage"),
                        .usage = pi_usage(at(message, "usage")),
                        .duration_ms = count_at(message, "durationMs")};
  answer.content = std::move(content.blocks);
  return {std::move(answer), content.more || pi_has_more(message, {"diagnostics", "deferred"})};
}

PiMessage pi_result(const Json& message, Receiver& receiver) {
  PiBlocks content{receiver};
  content.add_all(at(message, "content"));
  model::ToolResult result{.tool_use_id = string_at(message, "toolCallId"),
                           .is_error = bool_at(message, "isError")};
  for (model::Block& block : content.blocks) {
    if (auto* text = std::get_if<model::Text>(&block)) result.content.emplace_back(*text);
    if (auto* image = std::get_if<model::Image>(&block)) result.content.emplace_back(*image);
  }
  model::Message answer{.role = model::Role::tool,
                        .usage = pi_usage(at(message, "usage")),
                        .duration_ms = count_at(message, "durationMs")};
  answer.content.emplace_back(std::move(result));
  return {std::move(answer), content.more || pi_has_more(message, {"details", "nestedCalls"})};
}

PiMessage pi_command(const Json& message) {
  const Json& code = at(message, "exitCode");
  const std::string text = ran_command(
      string_at(message, "command"), string_at(message, "output"),
      code.is_number_integer() ? std::optional(code.get<std::int64_t>()) : std::nullopt);
  const bool more = pi_has_more(message, {"fullOutputPath"});
  if (bool_at(message, "excludeFromContext")) return {ForeignContext{"command", text}, more};
  return {model::user_message(text), more};
}

PiMessage pi_instructions(const Json& message) {
  std::string text = pi_text(at(message, "content"));
  if (const Json& sections = at(message, "sections"); sections.is_object())
    for (const auto& [name, section] : sections.items())
      if (section.is_string())
        text += (text.empty() ? "" : "\n\n") + section.get_ref<const std::string&>();
  return {ForeignContext{"instructions", std::move(text)}, true};
}

}  // namespace

bool each_pi_record(std::string_view line,
                    const std::function<void(const Json& record, std::string_view text)>& each) {
  if (const auto json = parse_json(line)) {
    if (json->is_object()) each(*json, line);
    return json->is_object();
  }
  while (!line.empty()) {
    const std::size_t length = line.front() == '{' ? bracketed_length(line) : 0;
    const auto json = length > 0 ? parse_json(line.substr(0, length)) : std::nullopt;
    if (!json) return false;
    each(*json, line.substr(0, length));
    line.remove_prefix(length);
  }
  return true;
}

std::string pi_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (content.is_array())
    for (const Json& block : content)
      if (std::string piece = string_at(block, "text"); !piece.empty())
        text += (text.empty() ? "" : "\n\n") + piece;
  return text;
}

std::optional<model::Usage> pi_usage(const Json& usage) {
  if (!usage.is_object()) return std::nullopt;
  return model::Usage{.input = count_at(usage, "input"),
                      .output = count_at(usage, "output"),
                      .cache_read = count_at(usage, "cacheRead"),
                      .cache_write = count_at(usage, "cacheWrite"),
                      .reasoning = count_at(usage, "reasoning")};
}

PiMessage pi_prompt(const Json& message, Receiver& receiver) {
  PiBlocks content{receiver};
  content.add_all(at(message, "content"));
  if (content.blocks.empty()) return {};
  model::Message prompt{.role = model::Role::user};
  prompt.content = std::move(content.blocks);
  return {std::move(prompt), content.more || pi_has_more(message, {"details", "customType"})};
}

PiMessage pi_message(const Json& message, Receiver& receiver) {
  const std::string role = string_at(message, "role");
  if (role == "user" || role == "custom" || role == "hookMessage")
    return pi_prompt(message, receiver);
  if (role == "assistant") return pi_answer(message, receiver);
  if (role == "toolResult") return pi_result(message, receiver);
  if (role == "bashExecution") return pi_command(message);
  if (role == "system") return pi_instructions(message);
  receiver.lose("messages of unknown kinds");
  return {};
}

}  // namespace skein::exchange::importers
