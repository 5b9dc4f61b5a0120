#include "core/legacy/session.h"

#include "core/text/checksum.h"
#include "core/text/encoding.h"

namespace skein::legacy {

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

namespace {

// A message of an older form.
struct Message {
  std::string role{};  // in our words: user, assistant, tool; another one is none of these
  std::string time{};
  std::vector<model::Block> content{};
  Json json{};  // as it was written
};

// A call's arguments, as an object or as the text of one.
JsonText object_text(const Json& value) {
  if (value.is_object()) return dump(value);
  if (value.is_string())
    if (const auto parsed = parse_json(value.get<std::string>()); parsed && parsed->is_object())
      return dump(*parsed);
  return value.is_null() ? "{}" : dump({{"input", value}});
}

constexpr std::size_t max_image_bytes = std::size_t{64} << 20;  // what a blob may have

std::string text_of(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  return content.is_null() ? std::string{} : dump(content);
}

// What of a message may stand in a result.
std::vector<model::ResultBlock> as_result(const std::vector<model::Block>& content) {
  std::vector<model::ResultBlock> out;
  for (const model::Block& each : content) {
    if (const auto* text = std::get_if<model::Text>(&each)) out.emplace_back(*text);
    if (const auto* image = std::get_if<model::Image>(&each)) out.emplace_back(*image);
    if (const auto* raw = std::get_if<model::Opaque>(&each)) out.emplace_back(*raw);
  }
  if (out.empty()) out.emplace_back(model::Text{});
  return out;
}

bool has_call(std::span<const model::Block> content, const Json& call) {
  return std::ranges::any_of(content, [&](const model::Block& block) {
    const auto* there = std::get_if<model::ToolUse>(&block);
    return there != nullptr && there->name == string_at(call, "name") &&
           there->input == object_text(at(call, "args"));
  });
}

std::string role_of(const Json& message) {
  const std::string role = string_at(message, "role");
  if (role == "model") return "assistant";
  return role == "function" ? "tool" : role;
}

// What other programs put into a message, as our blocks: the content of Anthropic's and OpenAI's
// messages, the parts of Google's. What cannot be taken over is reported.
class Blocks {
 public:
  explicit Blocks(Session& out) : out_(out) {}

  Message message(const Json& json) {
    Message out{.role = role_of(json),
                .time = time_of(first_of(json, {"timestamp", "ts", "created_at"})),
                .json = json};
    const Json& parts = at(json, "parts");
    if (parts.is_string()) out.content.push_back(part(parts));
    for (const Json& each : elements(parts)) out.content.push_back(part(each));
    if (parts.is_null()) out.content = content(at(json, "content"));
    // Kept in the message, not as a block of it.
    if (out.role == "tool" && parts.is_null() &&
        std::ranges::none_of(out.content, [](const model::Block& block) {
          return std::holds_alternative<model::ToolResult>(block);
        }))
      out.content = {model::ToolResult{
          .tool_use_id = string_at(json, "tool_call_id", string_at(json, "toolCallId")),
          .content = as_result(out.content),
          .is_error = bool_at(json, "isError") || bool_at(json, "is_error")}};
    // Calls of Google's models next to the parts, which may hold the same ones.
    const std::size_t in_parts = out.content.size();
    for (const Json& call : at(json, "functionCalls"))
      if (call.is_object() && !has_call(std::span(out.content).first(in_parts), call))
        out.content.push_back(part({{"functionCall", call}}));
    for (const Json& call : first_of(json, {"tool_calls", "toolCalls"})) {
      const Json& function = at(call, "function");
      const Json& where = function.is_object() ? function : call;
      out.content.emplace_back(
          model::ToolUse{string_at(call, "id"), string_at(where, "name"),
                         object_text(first_of(where, {"arguments", "input", "params"}))});
    }
    return out;
  }

  // A string, or blocks as most programs write them.
  std::vector<model::Block> content(const Json& json) {
    std::vector<model::Block> out;
    // Some keep the blocks as a string.
    if (json.is_string() && json.get_ref<const std::string&>().starts_with("[{"))
      if (const auto parsed = parse_json(json.get_ref<const std::string&>());
          parsed && std::ranges::all_of(*parsed, [](const Json& each) {
            return each.is_object() && each.contains("type");
          }))
        return content(*parsed);
    if (json.is_array()) {
      for (const Json& each : json) out.push_back(block(each));
      return out;
    }
    if (std::string text = text_of(json); !text.empty())
      out.emplace_back(model::Text{std::move(text)});
    return out;
  }

  std::vector<model::ResultBlock> result_content(const Json& json) {
    return as_result(content(json));
  }

  // Adds what was lost.
  void finish() {
    for (const auto& [what, count] : lost_)
      out_.losses.push_back((count == 1 ? what : what + ", " + std::to_string(count) + " times,") +
                            " is kept as it was written, but no model will see it");
  }

 private:
  model::Block block(const Json& json) {
    if (json.is_string()) return model::Text{json.get<std::string>()};
    const std::string type = string_at(json, "type");
    if (type == "text" || type == "input_text" || type == "output_text")
      return model::Text{string_at(json, "text"), text_at(json, "providerData")};
    if (type == "image_url" || type == "input_image") {
      const Json& given = at(json, "image_url");
      return image_at(given.is_string() ? given.get<std::string>() : string_at(given, "url"), json);
    }
    if (type == "image" && string_at(json, "blob").empty()) {
      const Json& source = at(json, "source");
      if (string_at(source, "type") == "url") return image_at(string_at(source, "url"), json);
      const Json& from = source.is_object() ? source : json;
      return image(string_at(from, "media_type", string_at(from, "mimeType")),
                   string_at(from, "data"), json);
    }
    if (type == "tool_result")
      return model::ToolResult{string_at(json, "tool_use_id"), result_content(at(json, "content")),
                               bool_at(json, "isError") || bool_at(json, "is_error"),
                               string_at(json, "blob"), text_at(json, "providerData")};
    const auto own =
        model::message_from_json(dump({{"role", "user"}, {"content", Json::array({json})}}));
    if (own && !own->content.empty() &&
        (type == "opaque" || !std::holds_alternative<model::Opaque>(own->content[0])))
      return own->content[0];
    return unknown("a block of the type '" + type + "'", json);
  }

  // Google's.
  model::Block part(const Json& json) {
    if (json.is_string()) return model::Text{json.get<std::string>()};
    if (json.contains("text")) {
      if (bool_at(json, "thought")) return model::Thinking{.thinking = string_at(json, "text")};
      return model::Text{string_at(json, "text")};
    }
    if (const Json& data = first_of(json, {"inlineData", "inline_data"}); data.is_object())
      return image(string_at(data, "mimeType", string_at(data, "mime_type")),
                   string_at(data, "data"), json);
    if (const Json& call = first_of(json, {"functionCall", "function_call"}); call.is_object()) {
      const std::string name = string_at(call, "name");
      std::string id = string_at(call, "id");
      if (id.empty()) id = "call_" + std::to_string(++calls_);
      open_calls_[name].push_back(id);
      return model::ToolUse{id, name, object_text(at(call, "args"))};
    }
    const Json& answer = first_of(json, {"functionResponse", "function_response"});
    if (!answer.is_object()) {
      const bool any = json.is_object() && !json.empty();
      return unknown("a part '" + (any ? json.begin().key() : std::string{}) + "'", json);
    }
    std::vector<std::string>& open = open_calls_[string_at(answer, "name")];
    std::string id = string_at(answer, "id");
    if (id.empty() && !open.empty()) id = open.front();
    std::erase(open, id);
    if (id.empty()) id = "call_" + std::to_string(++calls_);
    const Json& response = at(answer, "response");
    const Json& said = first_of(response, {"output", "result", "content", "error"});
    return model::ToolResult{.tool_use_id = id,
                             .content = {model::Text{text_of(said.is_null() ? response : said)}},
                             .is_error = response.is_object() && response.contains("error")};
  }

  model::Block image(const std::string& type, const std::string& base64, const Json& raw) {
    std::optional<std::string> bytes = from_base64(base64);
    if (!bytes || bytes->empty()) return unknown("an image that could not be read", raw);
    if (bytes->size() > max_image_bytes) return unknown("an image of more than 64 MiB", raw);
    if (type.empty() ? image_type(*bytes).empty() : !type.starts_with("image/"))
      return unknown("a file of the type '" + type + "'", raw);
    model::Image out{.mime_type = type.empty() ? std::string(image_type(*bytes)) : type,
                     .blob = sha256_hex(*bytes)};
    out_.blobs.push_back(std::move(*bytes));
    return out;
  }

  // data:image/png;base64,…
  model::Block image_at(const std::string& url, const Json& raw) {
    const std::size_t comma = url.find(',');
    if (!url.starts_with("data:") || comma == std::string::npos)
      return unknown("an image that is kept elsewhere (" + url.substr(0, 200) + ")", raw);
    std::string type = url.substr(5, comma - 5);
    if (!type.ends_with(";base64")) return unknown("an image that could not be read", raw);
    type.resize(type.find(';'));
    return image(type, url.substr(comma + 1), raw);
  }

  model::Block unknown(const std::string& what, const Json& raw) {
    ++lost_[what];
    return model::Opaque{"", dump(raw)};
  }

  Session& out_;
  std::map<std::string, std::size_t> lost_{};
  // Google's calls often have no ids: a result belongs to the first call of that name without one.
  std::map<std::string, std::vector<std::string>> open_calls_{};
  std::size_t calls_ = 0;
};

// Puts a conversation of an older form into order: calls and results were written in every order,
// doubled and orphaned, and are paired by their ids.
class Chain {
 public:
  // All results first, whatever their place; then the messages in theirs.
  Chain(Id session, const std::vector<Message>& all, Session& out) : session_(session), out_(out) {
    for (const Message& message : all)
      for (const model::Block& block : message.content)
        if (const auto* result = std::get_if<model::ToolResult>(&block))
          results_.try_emplace(result->tool_use_id, Result{*result, message.time});
  }

  void user(std::vector<model::Block> content, const std::string& time) {
    flush();
    if (content.empty()) return;
    add(model::Message{.role = model::Role::user, .content = std::move(content)}, time);
  }

  void assistant(std::vector<model::Block> content, const std::string& time) {
    // Words behind a call are the next answer, wherever the call's result was written.
    if (!reply_calls_.empty() && !content.empty() &&
        std::holds_alternative<model::Text>(content[0]))
      flush();
    if (reply_.content.empty()) reply_time_ = time;
    for (model::Block& block : content) {
      const auto* call = std::get_if<model::ToolUse>(&block);
      if (call != nullptr) {
        if (!calls_.insert(call->id).second) continue;
        reply_calls_.insert(call->id);
      }
      reply_.content.push_back(std::move(block));
    }
  }

  model::Message& reply() { return reply_; }
  // Where the result stood: if its call is part of the reply under way, that has ended.
  void result(const std::string& call) {
    if (reply_calls_.contains(call)) flush();
  }
  void flush() {
    if (reply_.content.empty()) return;
    reply_calls_.clear();
    model::Message reply = std::exchange(reply_, model::Message{.role = model::Role::assistant});
    const auto calls = model::tool_uses(reply);
    if (reply.stop == model::Stop::none)
      reply.stop = calls.empty() ? model::Stop::stop : model::Stop::tool_use;
    add(reply, reply_time_);
    for (const model::ToolUse* call : calls) answer(call->id);
  }

  void finish() {
    flush();
    for (const auto& [call, orphan] : results_) {
      out_.losses.push_back("a result of the call '" + call +
                            "', which is missing, was kept outside the conversation");
      add_entry(model::make_entry(model::type::custom,
                                  dump({{"kind", "orphan_result"},
                                        {"tool_use_id", call},
                                        {"text", model::plain_text(orphan.result)}})),
                orphan.time);
    }
  }

 private:
  struct Result {
    model::ToolResult result{};
    std::string time{};
  };

  void answer(const std::string& call) {
    const auto found = results_.find(call);
    if (found == results_.end()) return;
    model::Message message{.role = model::Role::tool};
    message.content.emplace_back(std::move(found->second.result));
    add(message, found->second.time);
    results_.erase(found);
  }

  void add(const model::Message& message, const std::string& time) {
    add_entry(model::message_entry(message), time);
  }
  void add_entry(model::Entry entry, const std::string& time) {
    // The same session migrated twice is the same session.
    entry.id = *parse_id(
        sha256_hex(to_string(session_) + ":" + std::to_string(out_.entries.size())).substr(0, 16));
    entry.parent = last_;
    if (!time.empty()) last_time_ = time;
    entry.timestamp = last_time_;
    if (!model::is_marginal(entry.type)) last_ = entry.id;
    out_.entries.push_back(std::move(entry));
  }

  Id session_;
  Session& out_;
  std::map<std::string, Result> results_{};
  std::set<std::string> calls_{};
  std::set<std::string> reply_calls_{};  // those of the reply under way
  model::Message reply_{.role = model::Role::assistant};
  std::string reply_time_{}, last_time_ = utc_from_ms(0);
  std::optional<Id> last_{};
};

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
                             ? "something that is not a message was left out"
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
  Chain chain(session, all, out);
  for (Message& message : all) add_message(chain, std::move(message), out);
  chain.finish();
  blocks.finish();
  return out;
}

// Other programs begin with a line of that type, too, but with other members.
bool is_header(const Json& line) {
  return string_at(line, "type") == "session" && line.contains("created");
}

}  // namespace

// {"type":"session"|"user"|"assistant"|"tool_use"|"tool_result", …, "ts"}
Session read_flat_lines(Id session, const Lines& lines) {
  Session out{.form = "flat lines", .losses = lines.losses};
  if (!lines.objects.empty() && is_header(lines.objects.front())) {
    out.key = string_at(lines.objects.front(), "key");
    out.created_at = time_of(at(lines.objects.front(), "created"));
  }
  Blocks blocks(out);
  std::vector<Message> all;
  for (const Json& line : lines.objects) {
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
  }
  Chain chain(session, all, out);
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
  if (!lines.objects.empty() && is_header(lines.objects.front()))
    return read_flat_lines(session, lines);
  if (lines.objects.size() > 1) return std::nullopt;
  return read_one_file(session, bytes);  // which is no JSON if a line of it was damaged
}

}  // namespace skein::legacy
