#include "tests/support/dialects.h"

namespace skein::test {

namespace {

std::string event(const std::string& name, const std::string& data) {
  return "event: " + name + "\ndata: " + data + "\n\n";
}
std::string data(const std::string& json) { return "data: " + json + "\n\n"; }

std::string anthropic_text(const std::string& piece) {
  return event("content_block_delta",
               R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
                   piece + "\"}}");
}

const std::string anthropic_call_start = event(
    "content_block_start",
    R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"read","input":{}}})");
std::string anthropic_input(const std::string& escaped) {
  return event(
      "content_block_delta",
      R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":")" +
          escaped + "\"}}");
}
std::string anthropic_stop(const std::string& reason) {
  return event("message_delta", R"({"type":"message_delta","delta":{"stop_reason":")" + reason +
                                    R"("},"usage":{"output_tokens":3}})") +
         event("message_stop", R"({"type":"message_stop"})");
}

std::string chat(const std::string& delta, const std::string& finish = "null") {
  return data(R"({"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":)" +
              delta + R"(,"finish_reason":)" + finish + "}]}");
}
std::string chat_text(const std::string& piece) { return chat(R"({"content":")" + piece + "\"}"); }
std::string chat_end(const std::string& reason) {
  return chat("{}", "\"" + reason + "\"") +
         data(R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}})") +
         "data: [DONE]\n\n";
}

std::string responses_text(const std::string& piece) {
  return event(
      "response.output_text.delta",
      R"({"type":"response.output_text.delta","item_id":"m1","output_index":0,"content_index":0,"delta":")" +
          piece + "\"}");
}
const std::string responses_call_start = event(
    "response.output_item.added",
    R"({"type":"response.output_item.added","output_index":1,"item":{"id":"f1","type":"function_call","call_id":"t1","name":"read","arguments":""}})");
const std::string responses_end = event(
    "response.completed",
    R"({"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":7,"output_tokens":3}}})");

std::string google(const std::string& part, const std::string& more = "") {
  return data(R"({"candidates":[{"content":{"role":"model","parts":[)" + part + "]}" + more +
              "}]}");
}
std::string google_text(const std::string& piece) { return google(R"({"text":")" + piece + "\"}"); }
const std::string google_end = data(
    R"({"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}})");

}  // namespace

const std::vector<Dialect>& dialects() {
  static const std::vector<Dialect> all{
      {"anthropic", "claude-sonnet-4-5", "/v1/messages", "x-api-key: %",
       event(
           "message_start",
           R"({"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}})") +
           event(
               "content_block_start",
               R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})"),
       anthropic_text,
       anthropic_call_start + anthropic_input(R"({\"path\":)") + anthropic_input(R"(\"a\"})") +
           event("content_block_stop", R"({"type":"content_block_stop","index":1})"),
       anthropic_call_start + anthropic_input(R"({\"path\":)"), anthropic_stop("end_turn"),
       anthropic_stop("tool_use"),
       event("error",
             R"({"type":"error","error":{"type":"overloaded_error","message":"overloaded"}})")},
      {"openai", "gpt-4o", "/v1/chat/completions", "authorization: Bearer %",
       chat(R"({"role":"assistant","content":""})"), chat_text,
       chat(
           R"({"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"read","arguments":"{\"path\":"}}]})") +
           chat(R"({"tool_calls":[{"index":0,"function":{"arguments":"\"a\"}"}}]})"),
       chat(
           R"({"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"read","arguments":"{\"path\":"}}]})"),
       chat_end("stop"), chat_end("tool_calls"),
       data(R"({"error":{"message":"overloaded","type":"server_error"}})")},
      {"openai-responses", "gpt-5", "/v1/responses", "authorization: Bearer %",
       event("response.created", R"({"type":"response.created","response":{"id":"r"}})") +
           event(
               "response.output_item.added",
               R"({"type":"response.output_item.added","output_index":0,"item":{"id":"m1","type":"message","role":"assistant","content":[]}})"),
       responses_text,
       responses_call_start +
           event(
               "response.function_call_arguments.delta",
               R"({"type":"response.function_call_arguments.delta","item_id":"f1","output_index":1,"delta":"{\"path\":\"a\"}"})") +
           event(
               "response.output_item.done",
               R"({"type":"response.output_item.done","output_index":1,"item":{"id":"f1","type":"function_call","call_id":"t1","name":"read","arguments":"{\"path\":\"a\"}"}})"),
       responses_call_start +
           event(
               "response.function_call_arguments.delta",
               R"({"type":"response.function_call_arguments.delta","item_id":"f1","output_index":1,"delta":"{\"path\":"})"),
       responses_end, responses_end,
       event("error", R"({"type":"error","code":"server_error","message":"overloaded"})")},
      {"google", "gemini-2.5-flash",
       "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", "x-goog-api-key: %", "",
       google_text, google(R"({"functionCall":{"name":"read","args":{"path":"a"}}})"), "",
       google_end, google_end,
       data(R"({"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}})")},
  };
  return all;
}

}  // namespace skein::test
