#include "core/exchange/importers/codex_items.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <variant>

#include "core/exchange/importers/anthropic_blocks.h"
#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_records.h"
#include "core/text/text.h"

namespace skein::exchange::importers {

namespace {

struct CodexBeginning {
  std::string_view text, label;
};

constexpr CodexBeginning codex_beginnings[] = {
    {"<environment_context>", "environment"},
    {"<user_instructions>", "instructions"},
    {"# AGENTS.md instructions", "instructions"},
    {"<INSTRUCTIONS>", "instructions"},
    {"<permissions instructions>", "instructions"},
    {"<collaboration_mode>", "instructions"},
    {"<skills_instructions>", "instructions"},
    {"<skill>", "skill"},
    {"<turn_aborted>", "interruption"},
    {"<user_shell_command>", "shell command"},
    {"<subagent_notification>", "message of another agent"},
    {"<hook_prompt", "hook"},
    {"<goal_context>", "goal"},
};

std::string joined_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string out;
  if (content.is_array())
    for (const Json& part : content)
      if (const std::string text = string_at(part, "text"); !text.empty())
        out += (out.empty() ? "" : "\n\n") + text;
  return out;
}

// "Exit code: 1" or "Process exited with code 1", in the lines before the output itself.
bool codex_says_failed(std::string_view text) {
  const std::size_t output = text.substr(0, 400).find("Output:");
  const std::string_view head = text.substr(0, output == std::string_view::npos ? 400 : output);
  for (const std::string_view words : {"Exit code: ", "exited with code "}) {
    const std::size_t found = head.find(words);
    if (found == std::string_view::npos) continue;
    int code = 0;
    const std::string_view digits = head.substr(found + words.size());
    if (std::from_chars(digits.data(), digits.data() + digits.size(), code).ec == std::errc{})
      return code != 0;
  }
  return false;
}

std::string joined_thoughts(const Json& item) {
  std::string out = joined_text(at(item, "summary"));
  return out.empty() ? joined_text(at(item, "content")) : out;
}

}  // namespace

std::string codex_context(const Json& message, std::string_view text) {
  // Newer versions say of each part whose it is.
  const Json& kinds =
      at(at(message, "internal_chat_message_metadata_passthrough"), "content_item_kinds");
  if (kinds.is_array() && !kinds.empty() && kinds.front().is_string()) {
    const auto& kind = kinds.front().get_ref<const std::string&>();
    if (kind.starts_with("user.")) return {};
    if (kind.starts_with("environments.")) return "environment";
    if (kind != "unknown") return kind;
  }
  const std::string_view begin = trimmed(text);
  const auto* const found = std::ranges::find_if(
      codex_beginnings, [&](const CodexBeginning& row) { return begin.starts_with(row.text); });
  return found == std::end(codex_beginnings) ? std::string{} : std::string(found->label);
}

std::vector<model::Block> codex_content(const Json& content, Receiver& receiver) {
  std::vector<model::Block> out;
  const auto add = [&](const Json& part) {
    const std::string type = string_at(part, "type");
    if (part.is_string() || part.contains("text")) {
      std::string text = part.is_string() ? part.get<std::string>() : string_at(part, "text");
      if (!text.empty()) out.emplace_back(model::Text{std::move(text)});
    }
    if (type != "input_image") return;
    const std::string url = string_at(part, "image_url");
    if (url.empty()) return;
    if (auto image = kept_image_at(receiver, url))
      out.emplace_back(std::move(*image));
    else
      receiver.lose("images and documents that are kept elsewhere");
  };
  if (content.is_array())
    for (const Json& part : content)
      if (part.is_object() || part.is_string()) add(part);
  if (content.is_string() || content.is_object()) add(content);
  return out;
}

CodexBlocks codex_blocks(const Json& item, std::string_view call, Receiver& receiver) {
  CodexBlocks out;
  const std::string type = string_at(item, "type", "message");
  if (type == "reasoning") {
    out.sealed = !string_at(item, "encrypted_content").empty();
    if (std::string text = joined_thoughts(item); !text.empty())
      out.blocks.emplace_back(model::Thinking{.thinking = std::move(text)});
  } else if (type == "message") {
    out.blocks = codex_content(at(item, "content"), receiver);
  } else if (type == "agent_message") {  // the event
    if (std::string text = string_at(item, "message"); !text.empty())
      out.blocks.emplace_back(model::Text{std::move(text)});
  } else {
    std::string name = string_at(item, "name");
    if (name.empty()) name = type.substr(0, type.rfind("_call"));
    const Json* input = &at(item, "arguments");
    for (const char* key : {"input", "action"})
      if (input->is_null()) input = &at(item, key);
    JsonText text = call_input(*input);
    if (type == "image_generation_call")
      text = dump({{"prompt", string_at(item, "revised_prompt")}});
    out.blocks.emplace_back(model::ToolUse{std::string(call), std::move(name), std::move(text)});
    out.sealed = !at(item, "encrypted_function_args").is_null();
  }
  return out;
}

model::ToolResult codex_result(const Json& item, std::string call, Receiver& receiver) {
  model::ToolResult out{.tool_use_id = std::move(call)};
  const Json* output = &at(item, "output");
  if (output->is_null()) output = &at(item, "tools");
  std::optional<Json> packed;
  if (output->is_string()) {
    const auto& text = output->get_ref<const std::string&>();
    out.is_error = codex_says_failed(text);
    // {"output": "…", "metadata": {"exit_code": 1}}, as text.
    if (text.starts_with('{')) packed = read_json(text);
    if (packed && at(*packed, "metadata").is_object() && at(*packed, "output").is_string()) {
      out.is_error = int_at(at(*packed, "metadata"), "exit_code") != 0;
      output = &at(*packed, "output");
    }
  }
  if (output->is_object() && !bool_at(*output, "success", true)) out.is_error = true;
  if (output->is_object() && !at(*output, "content").is_null()) output = &at(*output, "content");
  for (model::Block& block : codex_content(*output, receiver)) {
    if (auto* text = std::get_if<model::Text>(&block)) out.content.emplace_back(std::move(*text));
    if (auto* image = std::get_if<model::Image>(&block))
      out.content.emplace_back(std::move(*image));
  }
  if (out.content.empty())
    out.content.emplace_back(model::Text{output->is_null() || output->is_string() || output->empty()
                                             ? std::string{}
                                             : dump(*output)});
  return out;
}

model::ToolResult codex_search_result(const Json& item, std::string call, Receiver& receiver) {
  model::ToolResult out{.tool_use_id = std::move(call)};
  if (string_at(item, "type") == "image_generation_call")
    if (auto image = kept_image(receiver, "image/png", string_at(item, "result")))
      out.content.emplace_back(std::move(*image));
  if (out.content.empty()) out.content.emplace_back(model::Text{"[not recorded]"});
  out.is_error = string_at(item, "status") == "failed";
  return out;
}

model::Usage codex_usage(const Json& usage) {
  const std::int64_t read = count_at(usage, "cached_input_tokens");
  const std::int64_t written = count_at(usage, "cache_write_input_tokens");
  return {.input = std::max<std::int64_t>(0, count_at(usage, "input_tokens") - read - written),
          .output = count_at(usage, "output_tokens"),
          .cache_read = read,
          .cache_write = written,
          .reasoning = std::min(count_at(usage, "reasoning_output_tokens"),
                                count_at(usage, "output_tokens"))};
}

std::string codex_summary(const Json& compacted) {
  const std::string message = string_at(compacted, "message");
  std::string out;
  const Json& history = at(compacted, "replacement_history");
  if (history.is_array())
    for (const Json& item : history) {
      const std::string role = string_at(item, "role");
      if (role != "user" && role != "assistant") continue;
      const std::string text = joined_text(at(item, "content"));
      if (text.empty() || !codex_context(item, text).empty()) continue;
      out += (out.empty() ? "" : "\n\n") + text;
    }
  if (out.find(message) == std::string::npos) out += (out.empty() ? "" : "\n\n") + message;
  return out;
}

}  // namespace skein::exchange::importers
