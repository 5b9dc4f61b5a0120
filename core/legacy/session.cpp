#include "core/legacy/session.h"

#include <algorithm>

#include "core/legacy/blocks.h"
#include "core/legacy/chain.h"
#include "core/text/json.h"

namespace skein::legacy {

namespace {

void expect_results(Chain& chain, const Message& message) {
  for (const model::Block& block : message.content)
    if (const auto* result = std::get_if<model::ToolResult>(&block))
      chain.expect_result(*result, message.time);
}

void add_message(Chain& chain, Message message, Session& out) {
  for (const model::Block& block : message.content)
    if (const auto* result = std::get_if<model::ToolResult>(&block))
      chain.result(result->tool_use_id);
  std::erase_if(message.content, [](const model::Block& block) {
    return std::holds_alternative<model::ToolResult>(block);
  });
  if (message.role == "user") return chain.user(std::move(message.content), message.time);
  if (message.role == "tool") return;
  if (message.role != "assistant") {
    out.losses.push_back(message.role.empty()
                             ? "something that is no message was left out"
                             : "a message of the role '" + message.role + "' was left out");
    return;
  }
  chain.flush();
  chain.assistant(std::move(message.content), message.time);
  chain.reply().provider = string_at(message.json, "provider");
  chain.reply().model = string_at(message.json, "model");
  chain.reply().duration_ms = int_at(message.json, "durationMs");
  if (const Json& usage = at(message.json, "usage"); usage.is_object()) {
    const auto count = [&](std::initializer_list<const char*> keys) {
      const Json& value = first_of(usage, keys);
      return value.is_number_integer() ? value.get<std::int64_t>() : 0;
    };
    chain.reply().usage =
        model::Usage{count({"input", "inputTokens", "input_tokens"}),
                     count({"output", "outputTokens", "output_tokens"}),
                     count({"cacheRead", "cacheReadTokens", "cache_read_input_tokens"}),
                     count({"cacheWrite", "cacheCreationTokens", "cache_creation_input_tokens"})};
  }
}

std::optional<Session> read_one_file(Id session, std::string_view bytes) {
  const std::optional<Json> json = parse_json(bytes);
  if (!json) return std::nullopt;
  const Json& messages =
      json->is_array() ? *json : first_of(*json, {"messages", "contents", "history"});
  const auto has_role = [](const Json& each) { return !string_at(each, "role").empty(); };
  if (!messages.is_array() || std::ranges::none_of(messages, has_role)) return std::nullopt;
  Session out{.form = "one JSON file",
              .key = string_at(*json, "key", string_at(*json, "session_key")),
              .cwd = string_at(*json, "cwd"),
              .created_at = time_of(first_of(*json, {"createdAt", "created_at", "created"}))};
  if (!first_of(*json, {"system", "systemInstruction", "system_instruction"}).is_null())
    out.losses.push_back("its system prompt was left out");
  Blocks blocks(out);
  std::vector<Message> all;
  for (const Json& message : messages) all.push_back(blocks.message(message));
  Chain chain(session, out);
  for (const Message& message : all) expect_results(chain, message);
  for (Message& message : all) add_message(chain, std::move(message), out);
  chain.finish();
  blocks.finish();
  return out;
}

// Other programs begin with a line of that type, too, but with other members.
bool is_header(const Json& line) {
  return string_at(line, "type") == "session" && line.contains("created");
}

// {"type":"session"|"user"|"assistant"|"tool_use"|"tool_result", …, "ts"}
Session read_flat(Id session, const std::vector<Json>& lines) {
  Session out{.form = "flat lines"};
  if (!lines.empty() && is_header(lines.front())) {
    out.key = string_at(lines.front(), "key");
    out.created_at = time_of(at(lines.front(), "created"));
  }
  Blocks blocks(out);
  Chain chain(session, out);
  std::vector<Message> all;
  for (const Json& line : lines) {
    const std::string type = string_at(line, "type"), call = string_at(line, "tool_use_id");
    Message& message = all.emplace_back();
    message.role = type;
    message.time = time_of(at(line, "ts"));
    if (type == "tool_result") {
      message.content.emplace_back(
          model::ToolResult{call, blocks.result_content(first_of(line, {"output", "content"})),
                            bool_at(line, "is_error") || bool_at(line, "isError")});
    } else if (type == "tool_use") {
      message.content.emplace_back(
          model::ToolUse{call, string_at(line, "name"), object_text(at(line, "input"))});
    } else {
      message.content = blocks.content(at(line, "content"));
    }
    expect_results(chain, message);
  }
  for (Message& message : all) {
    if (message.role == "user")
      add_message(chain, std::move(message), out);
    else if (message.role == "assistant" || message.role == "tool_use")
      chain.assistant(std::move(message.content), message.time);
    else if (message.role == "tool_result")
      chain.result(std::get<model::ToolResult>(message.content.front()).tool_use_id);
    else if (message.role != "session")
      out.losses.push_back("a line of the type '" + message.role + "' was left out");
  }
  chain.finish();
  blocks.finish();
  return out;
}

Session with_losses(Session found, const std::vector<std::string>& losses) {
  found.losses.insert(found.losses.begin(), losses.begin(), losses.end());
  return found;
}

}  // namespace

Lines lines_of(std::string_view bytes) {
  Lines out;
  std::size_t number = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view text = bytes.substr(at, end - at);
    at = end + 1;
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    std::optional<Json> line = parse_json(text);
    if (line && line->is_object())
      out.objects.push_back(std::move(*line));
    else if (out.objects.empty())
      return {};
    else
      out.losses.push_back("line " + std::to_string(number) + " is damaged and was left out");
  }
  return out;
}

std::optional<Session> read_session(Id session, std::string_view bytes) {
  const Lines lines = lines_of(bytes);
  if (lines.objects.empty()) return read_one_file(session, bytes);
  if (is_header(lines.objects.front()))
    return with_losses(read_flat(session, lines.objects), lines.losses);
  if (lines.objects.size() > 1) return std::nullopt;
  std::optional<Session> found = read_one_file(session, bytes);
  return found ? with_losses(*std::move(found), lines.losses) : found;
}

Session read_flat_lines(Id session, const Lines& lines) {
  return with_losses(read_flat(session, lines.objects), lines.losses);
}

}  // namespace skein::legacy
