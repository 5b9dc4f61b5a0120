#include "core/store/home/legacy.h"

#include <algorithm>
#include <set>

#include "core/store/home/legacy_blocks.h"
#include "core/store/home/legacy_chain.h"
#include "core/store/log/line_codec.h"
#include "core/text/json.h"

namespace skein::store::home {

namespace {

void expect_results(LegacyChain& chain, const LegacyMessage& message) {
  for (const model::Block& block : message.content)
    if (const auto* result = std::get_if<model::ToolResult>(&block))
      chain.expect_result(*result, message.time);
}

void add_message(LegacyChain& chain, LegacyMessage message, LegacySession& out) {
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

std::optional<LegacySession> read_one_file(Id session, std::string_view bytes) {
  const std::optional<Json> json = parse_json(bytes);
  if (!json) return std::nullopt;
  const Json& messages =
      json->is_array() ? *json : first_of(*json, {"messages", "contents", "history"});
  const auto has_role = [](const Json& each) { return !string_at(each, "role").empty(); };
  if (!messages.is_array() || std::ranges::none_of(messages, has_role)) return std::nullopt;
  LegacySession out{
      .form = "one JSON file",
      .key = string_at(*json, "key", string_at(*json, "session_key")),
      .cwd = string_at(*json, "cwd"),
      .created_at = legacy_time(first_of(*json, {"createdAt", "created_at", "created"}))};
  if (!first_of(*json, {"system", "systemInstruction", "system_instruction"}).is_null())
    out.losses.push_back("its system prompt was left out");
  LegacyBlocks blocks(out);
  std::vector<LegacyMessage> all;
  for (const Json& message : messages) all.push_back(blocks.message(message));
  LegacyChain chain(session, out);
  for (const LegacyMessage& message : all) expect_results(chain, message);
  for (LegacyMessage& message : all) add_message(chain, std::move(message), out);
  chain.finish();
  blocks.finish();
  return out;
}

// {"type":"session"|"user"|"assistant"|"tool_use"|"tool_result", …, "ts"}
std::optional<LegacySession> read_flat(Id session, const std::vector<Json>& lines) {
  // Other programs begin with a line of that type, too, but with other members.
  if (lines.empty() || string_at(lines.front(), "type") != "session" ||
      !lines.front().contains("created"))
    return std::nullopt;
  LegacySession out{.form = "flat lines",
                    .key = string_at(lines.front(), "key"),
                    .created_at = legacy_time(at(lines.front(), "created"))};
  LegacyBlocks blocks(out);
  LegacyChain chain(session, out);
  std::vector<LegacyMessage> all;
  for (const Json& line : lines) {
    const std::string type = string_at(line, "type"), call = string_at(line, "tool_use_id");
    LegacyMessage& message = all.emplace_back();
    message.role = type;
    message.time = legacy_time(at(line, "ts"));
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
  for (LegacyMessage& message : all) {
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

// Our own lines, before they were sealed.
std::optional<LegacySession> read_unsealed(const std::vector<Json>& lines) {
  if (lines.empty() || string_at(lines.front(), "type") != model::type::session_header)
    return std::nullopt;
  const Json& header = at(lines.front(), "payload");
  if (!header.is_object() || int_at(header, "version") != 0 || lines.front().contains("seal"))
    return std::nullopt;
  LegacySession out{.form = "unsealed lines",
                    .key = string_at(header, "key"),
                    .cwd = string_at(header, "cwd"),
                    .created_at = string_at(lines.front(), "timestamp")};
  std::set<Id> known;
  std::optional<Id> last;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::optional<model::Entry> entry = log::entry_from_json(dump(lines[i]));
    if (!entry || !known.insert(entry->id).second) {
      out.losses.push_back("line " + std::to_string(i + 1) +
                           (entry ? " repeats an id" : " is no entry") + " and was left out");
      continue;
    }
    if (entry->parent && !known.contains(*entry->parent)) entry->parent = last;
    if (!model::is_marginal(entry->type)) last = entry->id;
    out.entries.push_back(std::move(*entry));
  }
  return out;
}

}  // namespace

std::optional<LegacySession> read_legacy(Id session, std::string_view bytes) {
  std::vector<Json> lines;
  std::vector<std::string> losses;
  std::size_t number = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view text = bytes.substr(at, end - at);
    at = end + 1;
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    std::optional<Json> line = parse_json(text);
    if (line && line->is_object())
      lines.push_back(std::move(*line));
    else if (lines.empty())
      return read_one_file(session, bytes);
    else
      losses.push_back("line " + std::to_string(number) + " is damaged and was left out");
  }
  for (auto found : {read_flat(session, lines), read_unsealed(lines),
                     lines.size() == 1 ? read_one_file(session, bytes) : std::nullopt}) {
    if (!found) continue;
    found->losses.insert(found->losses.begin(), losses.begin(), losses.end());
    return found;
  }
  return std::nullopt;
}

}  // namespace skein::store::home
