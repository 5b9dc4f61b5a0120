#include "tests/support/streams.h"

#include <array>

namespace skein {

namespace {

using Kind = Step::Kind;

std::string event(const std::string& data, const std::string& name = {}) {
  return (name.empty() ? "" : "event: " + name + "\n") + "data: " + data + "\n\n";
}

// Typed events carry their name twice.
std::string typed(const std::string& type, const std::string& members) {
  return event(R"({"type":")" + type + "\"" + (members.empty() ? "" : ",") + members + "}", type);
}

// JSON text as the content of a JSON string. Pieces of input are such text already.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// A run of steps that make one block.
struct Run {
  Kind kind;
  std::string id;
  std::vector<std::string> pieces{};

  std::string whole() const {
    std::string out;
    for (const std::string& piece : pieces) out += piece;
    return out;
  }
};

std::vector<Run> runs(const Script& script) {
  std::vector<Run> out;
  for (const Step& step : script) {
    if (out.empty() || out.back().kind != step.kind || out.back().id != step.id)
      out.push_back({step.kind, step.id});
    out.back().pieces.push_back(step.piece);
  }
  return out;
}

std::string anthropic(const Script& script, model::Stop end) {
  std::string out = typed("message_start", R"("message":{"usage":{"input_tokens":9}})");
  const std::vector<Run> all = runs(script);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Run& run = all[i];
    const std::string index = "\"index\":" + std::to_string(i) + ",";
    const auto piece = [&](const char* type, const char* member, const std::string& text) {
      out += typed("content_block_delta", index + R"("delta":{"type":")" + type + "\",\"" + member +
                                              "\":\"" + text + "\"}");
    };
    const std::string block =
        run.kind == Kind::think ? R"({"type":"thinking","thinking":"","signature":""})"
        : run.kind == Kind::text
            ? R"({"type":"text","text":""})"
            : R"({"type":"tool_use","id":")" + run.id + R"(","name":"bash","input":{}})";
    out += typed("content_block_start", index + "\"content_block\":" + block);
    for (const std::string& text : run.pieces) {
      if (run.kind == Kind::think) piece("thinking_delta", "thinking", text);
      if (run.kind == Kind::text) piece("text_delta", "text", text);
      if (run.kind == Kind::call) piece("input_json_delta", "partial_json", escaped(text));
    }
    if (run.kind == Kind::think) piece("signature_delta", "signature", "c2lnbmVk");
    if (i + 1 < all.size() || end != model::Stop::length)
      out += typed("content_block_stop", "\"index\":" + std::to_string(i));
  }
  if (end == model::Stop::error)
    return out + typed("error", R"("error":{"type":"overloaded_error","message":"busy"})");
  const std::string reason = end == model::Stop::length     ? "max_tokens"
                             : end == model::Stop::tool_use ? "tool_use"
                                                            : "end_turn";
  return out +
         typed("message_delta",
               R"("delta":{"stop_reason":")" + reason + R"("},"usage":{"output_tokens":7})") +
         typed("message_stop", "");
}

std::string chat(const Script& script, model::Stop end) {
  const auto chunk = [](const std::string& delta, const std::string& finish) {
    return event(R"({"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,)"
                 R"("delta":{)" +
                 delta + R"(},"finish_reason":)" + finish + "}]}");
  };
  std::string out = chunk(R"("role":"assistant","content":null)", "null");
  int index = -1;
  for (const Run& run : runs(script)) {
    if (run.kind == Kind::call)
      out += chunk(R"("tool_calls":[{"index":)" + std::to_string(++index) + R"(,"id":")" + run.id +
                       R"(","type":"function","function":{"name":"bash","arguments":""}}])",
                   "null");
    for (const std::string& text : run.pieces)
      out += chunk(run.kind == Kind::think ? R"("reasoning_content":")" + text + "\""
                   : run.kind == Kind::text
                       ? R"("content":")" + text + "\""
                       : R"("tool_calls":[{"index":)" + std::to_string(index) +
                             R"(,"function":{"arguments":")" + escaped(text) + "\"}}]",
                   "null");
  }
  if (end == model::Stop::error)
    return out + event(R"({"error":{"message":"busy","type":"server_error","code":503}})");
  const std::string reason = end == model::Stop::length     ? "\"length\""
                             : end == model::Stop::tool_use ? "\"tool_calls\""
                                                            : "\"stop\"";
  return out + chunk("", reason) +
         event(R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7}})") +
         event("[DONE]");
}

std::string responses(const Script& script, model::Stop end) {
  std::string out = typed("response.created", R"("response":{"status":"in_progress"})");
  const std::vector<Run> all = runs(script);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Run& run = all[i];
    const std::string number = std::to_string(i);
    const std::string index = "\"output_index\":" + number + ",";
    const std::string whole = run.kind == Kind::call ? escaped(run.whole()) : run.whole();
    const auto item = [&](const std::string& text, const std::string& status) {
      const std::string head =
          R"("item":{"id":"item_)" + number + R"(","status":")" + status + "\",";
      if (run.kind == Kind::think)
        return head + R"("type":"reasoning","summary":[],"encrypted_content":"ZW5j"})";
      if (run.kind == Kind::text)
        return head + R"("type":"message","content":[{"type":"output_text","text":")" + text +
               "\"}]}";
      return head + R"("type":"function_call","call_id":")" + run.id +
             R"(","name":"bash","arguments":")" + text + "\"}";
    };
    const char* type = run.kind == Kind::think  ? "response.reasoning_summary_text.delta"
                       : run.kind == Kind::text ? "response.output_text.delta"
                                                : "response.function_call_arguments.delta";
    out += typed("response.output_item.added", index + item("", "in_progress"));
    for (const std::string& text : run.pieces)
      out += typed(type, index + R"("item_id":"item_)" + number + R"(","delta":")" +
                             (run.kind == Kind::call ? escaped(text) : text) + "\"");
    if (i + 1 < all.size() || end != model::Stop::length)
      out += typed("response.output_item.done", index + item(whole, "completed"));
  }
  const std::string usage = R"("usage":{"input_tokens":9,"output_tokens":7})";
  if (end == model::Stop::error)
    return out + typed("response.failed",
                       R"("response":{"status":"failed","error":{"code":"server_error"}})");
  if (end == model::Stop::length)
    return out +
           typed("response.incomplete", R"("response":{"status":"incomplete","incomplete_details":)"
                                        R"({"reason":"max_output_tokens"},)" +
                                            usage + "}");
  return out + typed("response.completed", R"("response":{"status":"completed",)" + usage + "}");
}

// Calls come whole here, so a limit can only lose the last one altogether.
std::string google(const Script& script, model::Stop end) {
  const auto chunk = [](const std::string& part, const std::string& rest = {}) {
    return event(R"({"candidates":[{"content":{"role":"model","parts":[)" + part +
                 R"(]},"index":0)" + rest + "}]}");
  };
  std::string out;
  const std::vector<Run> all = runs(script);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Run& run = all[i];
    if (run.kind == Kind::call) {
      if (i + 1 < all.size() || end != model::Stop::length)
        out += chunk(R"({"functionCall":{"name":"bash","id":")" + run.id + R"(","args":)" +
                     run.whole() + R"(},"thoughtSignature":"c2ln"})");
      continue;
    }
    for (const std::string& text : run.pieces)
      out += chunk(R"({"text":")" + text + "\"" +
                   (run.kind == Kind::think ? R"(,"thought":true})" : "}"));
  }
  if (end == model::Stop::error)
    return out + event(R"({"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}})");
  return out +
         chunk(R"({"text":""})", end == model::Stop::length ? R"(,"finishReason":"MAX_TOKENS")"
                                                            : R"(,"finishReason":"STOP")") +
         event(R"({"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":7}})");
}

// The same stream with other line ends, its data on two lines where it has two members, and a
// comment after every third event.
std::string reframed(const std::string& body, const std::string& line_end) {
  std::string out;
  bool whole = true;
  int blank = 0;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (whole && body.compare(at, 2, ",\"") == 0) {
      out += "," + line_end + "data: ";
      whole = false;
    } else if (body[at] != '\n') {
      out += body[at];
    } else {
      out += line_end;
      whole = true;
      if (at > 0 && body[at - 1] == '\n' && ++blank % 3 == 0)
        out += ": alive" + line_end + line_end;
    }
  }
  return out;
}

constexpr std::array<const char*, 8> plain_words{
    "stream ", "by ", "stream, ", "a\\tword ", "and ", "\\\"so\\\" ", "on.\\n", "caf\u00e9 "};
constexpr std::array<const char*, 8> odd_words{"na\u00efve ", "\u65e5\u672c",    "\\ud834",
                                               "\\udd1e",     "\\ud83d\\ude00 ", "\\u00e9",
                                               "\\ud83d",     "\\ude00 "};

}  // namespace

std::string rendered(const wire::Codec& codec, const Script& script, model::Stop end) {
  if (&codec == &wire::anthropic_messages) return anthropic(script, end);
  if (&codec == &wire::openai_chat) return chat(script, end);
  if (&codec == &wire::openai_responses) return responses(script, end);
  return google(script, end);
}

Script talk(std::size_t words) {
  Script script;
  for (const Kind kind : {Kind::think, Kind::text})
    for (std::size_t i = 0; i < words; ++i)
      script.push_back({kind, plain_words[i % plain_words.size()]});
  for (std::size_t call = 0; call < 3; ++call) {
    const std::string id = "call_" + std::to_string(call);
    script.push_back({Kind::call, R"({"command":)", id});
    script.push_back({Kind::call, "\"", id});
    for (std::size_t i = 0; i < words / 3; ++i)
      script.push_back({Kind::call, i % 4 == 3 ? R"(\"x\" )" : "echo ", id});
    script.push_back({Kind::call, "\"}", id});
  }
  return script;
}

Script alphabets(std::size_t words) {
  Script script;
  for (const Kind kind : {Kind::think, Kind::text})
    for (std::size_t i = 0; i < 8 + words / 8 * 8; ++i)
      script.push_back({kind, odd_words[i % odd_words.size()]});
  script.push_back({Kind::call, R"({"text":"\ud834)", "call_u"});
  script.push_back({Kind::call, "\\udd1e \u65e5\u672c\"}", "call_u"});
  return script;
}

std::vector<BuiltStream> built_streams(std::size_t words) {
  std::vector<BuiltStream> out;
  for (const wire::Codec* codec : {&wire::anthropic_messages, &wire::openai_chat,
                                   &wire::openai_responses, &wire::google_gemini}) {
    const std::string name(codec->name);
    const std::string call = rendered(*codec, talk(words), model::Stop::tool_use);
    const std::string limit = rendered(*codec, talk(words / 2), model::Stop::length);
    const std::string error = rendered(*codec, talk(words / 2), model::Stop::error);
    const std::string odd = rendered(*codec, alphabets(words), model::Stop::stop);
    out.push_back({name + " tool_use LF", codec, call, model::Stop::tool_use});
    out.push_back({name + " length CRLF", codec, reframed(limit, "\r\n"), model::Stop::length});
    out.push_back({name + " error LF", codec, error, model::Stop::error});
    out.push_back({name + " alphabets CR", codec, reframed(odd, "\r"), model::Stop::tool_use});
  }
  return out;
}

}  // namespace skein
