#include "core/store/legacy.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/json.h"
#include "core/store/seal.h"
#include "core/store/sha256.h"

namespace skein {

namespace {

// 1767323045, 1767323045678 or an ISO time, as we write it; empty if it is none of these.
std::string time_of(const Json& value) {
  if (value.is_number()) {
    const double number = value.get<double>();
    if (!(number > 0) || number > 1e14) return {};
    return utc_from_ms(static_cast<std::int64_t>(number < 1e11 ? number * 1000 : number));
  }
  if (!value.is_string()) return {};
  const auto ms = ms_from_utc(value.get<std::string>());
  return ms ? utc_from_ms(*ms) : std::string{};
}

const Json& first_of(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (!at(object, key).is_null()) return at(object, key);
  return at(object, *keys.begin());
}

std::string text_of(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  return content.is_null() ? std::string{} : dump(content);
}

JsonText object_text(const Json& value) {
  if (value.is_object()) return dump(value);
  if (value.is_string())
    if (const auto parsed = parse_json(value.get<std::string>()); parsed && parsed->is_object())
      return dump(*parsed);
  return value.is_null() ? "{}" : dump({{"input", value}});
}

// Builds a chain of messages. Calls and results were written in every order, doubled and orphaned:
// they are paired by their ids.
class Chain {
 public:
  Chain(Id session, LegacySession& out) : session_(session), out_(out) {}

  void expect_result(const std::string& call, Text text, bool failed, const std::string& time) {
    results_.try_emplace(call, Result{std::move(text), failed, time});
  }
  void user(std::vector<Block> content, const std::string& time) {
    flush();
    if (content.empty()) return;
    Message message{.role = Role::user, .content = std::move(content)};
    add(message, time);
  }
  void assistant(std::vector<Block> content, const std::string& time) {
    // Words behind a call are the next answer, wherever the call's result was written.
    if (!tool_uses(reply_).empty() && !content.empty() && std::holds_alternative<Text>(content[0]))
      flush();
    if (reply_.content.empty()) reply_time_ = time;
    for (Block& block : content) {
      const auto* call = std::get_if<ToolUse>(&block);
      if (call != nullptr && !calls_.insert(call->id).second) continue;
      reply_.content.push_back(std::move(block));
    }
  }
  Message& reply() { return reply_; }
  // Where the result stood: if its call is part of the reply under way, that has ended.
  void result(const std::string& call) {
    const auto calls = tool_uses(reply_);
    if (std::ranges::any_of(calls, [&](const ToolUse* each) { return each->id == call; })) flush();
  }
  void flush() {
    if (reply_.content.empty()) return;
    const Message reply = std::exchange(reply_, Message{.role = Role::assistant});
    Message whole = reply;
    const auto calls = tool_uses(whole);
    if (whole.stop == Stop::none) whole.stop = calls.empty() ? Stop::stop : Stop::tool_use;
    add(whole, reply_time_);
    for (const ToolUse* call : tool_uses(reply)) answer(call->id);
  }
  void finish() {
    flush();
    for (const auto& [call, result] : results_)
      out_.losses.push_back("a result of the call '" + call +
                            "', which is nowhere, was kept beside "
                            "the conversation");
    for (auto& [call, result] : results_)
      add_entry(
          make_entry(
              type::custom,
              dump({{"kind", "orphan_result"}, {"tool_use_id", call}, {"text", result.text.text}})),
          result.time);
  }

 private:
  struct Result {
    Text text{};
    bool failed = false;
    std::string time{};
  };

  void answer(const std::string& call) {
    const auto found = results_.find(call);
    if (found == results_.end()) return;
    Message message{.role = Role::tool};
    message.content.emplace_back(ToolResult{call, {found->second.text}, found->second.failed});
    add(message, found->second.time);
    results_.erase(found);
  }
  void add(const Message& message, const std::string& time) {
    add_entry(message_entry(message), time);
  }
  void add_entry(Entry entry, const std::string& time) {
    // The same session migrated twice is the same session.
    entry.id = *parse_id(
        sha256_hex(to_string(session_) + ":" + std::to_string(out_.entries.size())).substr(0, 16));
    entry.parent = last_;
    if (!time.empty()) last_time_ = time;
    entry.timestamp = last_time_;
    if (!is_marginal(entry.type)) last_ = entry.id;
    out_.entries.push_back(std::move(entry));
  }

  Id session_;
  LegacySession& out_;
  std::map<std::string, Result> results_{};
  std::set<std::string> calls_{};
  Message reply_{.role = Role::assistant};
  std::string reply_time_{}, last_time_ = utc_from_ms(0);
  std::optional<Id> last_{};
};

// A string, or blocks as most programs write them.
std::vector<Block> blocks_of(const Json& content) {
  std::vector<Block> out;
  if (content.is_array()) {
    const auto message = message_from_json(dump({{"role", "user"}, {"content", content}}));
    if (message) return message->content;
  }
  // Some keep the blocks as a string.
  if (content.is_string() && content.get_ref<const std::string&>().starts_with("[{"))
    if (const auto parsed = parse_json(content.get_ref<const std::string&>()))
      if (const auto message = message_from_json(dump({{"role", "user"}, {"content", *parsed}})))
        return message->content;
  if (std::string text = text_of(content); !text.empty()) out.emplace_back(Text{std::move(text)});
  return out;
}

std::string text_of(const ToolResult& result) {
  std::string out;
  for (const ResultBlock& block : result.content)
    if (const auto* text = std::get_if<Text>(&block)) out += text->text;
  return out;
}

// A message of a single-file session, in the two passes that pair results with calls.
void expect_results(Chain& chain, const Json& message) {
  const std::string time = time_of(first_of(message, {"timestamp", "ts", "created_at"}));
  if (string_at(message, "role") == "tool")
    chain.expect_result(string_at(message, "tool_call_id", string_at(message, "toolCallId")),
                        Text{text_of(at(message, "content"))}, bool_at(message, "isError"), time);
  for (const Block& block : blocks_of(at(message, "content")))
    if (const auto* result = std::get_if<ToolResult>(&block))
      chain.expect_result(result->tool_use_id, Text{text_of(*result)}, result->is_error, time);
}

void add_message(Chain& chain, const Json& message, LegacySession& out) {
  const std::string role = string_at(message, "role");
  const std::string time = time_of(first_of(message, {"timestamp", "ts", "created_at"}));
  std::vector<Block> content = blocks_of(at(message, "content"));
  for (const Block& block : content)
    if (const auto* result = std::get_if<ToolResult>(&block)) chain.result(result->tool_use_id);
  std::erase_if(content,
                [](const Block& block) { return std::holds_alternative<ToolResult>(block); });
  if (role == "user") return chain.user(std::move(content), time);
  if (role == "tool")
    return chain.result(string_at(message, "tool_call_id", string_at(message, "toolCallId")));
  if (role != "assistant" && role != "model") {
    out.losses.push_back("a message of the role '" + role + "' was left out");
    return;
  }
  chain.flush();
  for (const Json& call : at(message, "tool_calls")) {
    const Json& function = at(call, "function");
    content.emplace_back(ToolUse{string_at(call, "id"),
                                 string_at(function.is_object() ? function : call, "name"),
                                 object_text(first_of(function.is_object() ? function : call,
                                                      {"arguments", "input", "params"}))});
  }
  chain.assistant(std::move(content), time);
  chain.reply().provider = string_at(message, "provider");
  chain.reply().model = string_at(message, "model");
  chain.reply().duration_ms = int_at(message, "durationMs");
  if (const Json& usage = at(message, "usage"); usage.is_object()) {
    const auto count = [&](std::initializer_list<const char*> keys) {
      const Json& value = first_of(usage, keys);
      return value.is_number_integer() ? value.get<std::int64_t>() : 0;
    };
    chain.reply().usage =
        Usage{count({"input", "inputTokens", "input_tokens"}),
              count({"output", "outputTokens", "output_tokens"}),
              count({"cacheRead", "cacheReadTokens", "cache_read_input_tokens"}),
              count({"cacheWrite", "cacheCreationTokens", "cache_creation_input_tokens"})};
  }
}

std::optional<LegacySession> read_one_file(Id session, std::string_view bytes) {
  const std::optional<Json> json = parse_json(bytes);
  if (!json) return std::nullopt;
  const Json& messages = json->is_array() ? *json : at(*json, "messages");
  if (!messages.is_array()) return std::nullopt;
  LegacySession out{.form = "one JSON file",
                    .key = string_at(*json, "key", string_at(*json, "session_key")),
                    .cwd = string_at(*json, "cwd"),
                    .created_at = time_of(first_of(*json, {"createdAt", "created_at", "created"}))};
  Chain chain(session, out);
  for (const Json& message : messages) expect_results(chain, message);
  for (const Json& message : messages) add_message(chain, message, out);
  chain.finish();
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
                    .created_at = time_of(at(lines.front(), "created"))};
  Chain chain(session, out);
  for (const Json& line : lines) {
    if (string_at(line, "type") == "tool_result")
      chain.expect_result(string_at(line, "tool_use_id"),
                          Text{text_of(first_of(line, {"output", "content"}))},
                          bool_at(line, "is_error"), time_of(at(line, "ts")));
    else
      expect_results(chain, line);
  }
  for (const Json& line : lines) {
    const std::string type = string_at(line, "type"), time = time_of(at(line, "ts"));
    const std::string call = string_at(line, "tool_use_id");
    if (type == "user") {
      Json message = line;
      message["role"] = "user";
      message["timestamp"] = at(line, "ts");
      add_message(chain, message, out);
    } else if (type == "assistant") {
      chain.assistant(blocks_of(at(line, "content")), time);
    } else if (type == "tool_use") {
      chain.assistant({ToolUse{call, string_at(line, "name"), object_text(at(line, "input"))}},
                      time);
    } else if (type == "tool_result") {
      chain.result(call);
    } else if (type != "session") {
      out.losses.push_back("a line of the type '" + type + "' was left out");
    }
  }
  chain.finish();
  return out;
}

// Our own lines, before they were sealed.
std::optional<LegacySession> read_unsealed(const std::vector<Json>& lines) {
  if (lines.empty() || string_at(lines.front(), "type") != type::session_header)
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
    std::optional<Entry> entry = entry_from_json(dump(lines[i]));
    if (!entry || !known.insert(entry->id).second) {
      out.losses.push_back("line " + std::to_string(i + 1) +
                           (entry ? " repeats an id" : " is no entry") + " and was left out");
      continue;
    }
    if (entry->parent && !known.contains(*entry->parent)) entry->parent = last;
    if (!is_marginal(entry->type)) last = entry->id;
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

}  // namespace skein
