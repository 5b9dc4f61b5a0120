// What recorded streams of real servers and mocks must come out as. The recordings are not part of
// this repository: the test runs where SKEIN_SAMPLES names a folder with captures/ in it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "tests/support/replay.h"

using namespace skein;
using namespace skein::wire;

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Outcomes by scenario, the same for every wire unless one of them is named.
const std::map<std::string, std::string> mock_outcomes{
    {"badjson", R"(bash({"_raw":"{\"command\": \"ls"}) -> tool_use)"},
    {"badjson messages", "bash({}) -> tool_use"},  // this mock sends {} on these two wires
    {"badjson gemini", "bash({}) -> tool_use"},
    {"cut", "-> interrupted"},
    {"cut chat", "text(This answer stop) -> interrupted"},
    {"cut gemini", "text(This answer stops in the) -> interrupted"},
    {"cut messages", "text(This ans) -> interrupted"},
    {"drop", "-> interrupted"},
    {"drop chat", "text(This answer') -> interrupted"},
    {"drop gemini", "text(This answer's co) -> interrupted"},
    {"drop messages", "text(This ans) -> interrupted"},
    {"empty", "-> interrupted"},
    {"filter", "text(I can) -> refusal"},
    {"filter responses", "text(I can) -> error"},  // status "failed", and no word why
    {"list", R"(text(I will look.) bash({"command":"ls -1"}) -> tool_use)"},
    {"malformed", "-> error"},
    {"maxtokens", "text(This answer ends because the token limit was) -> length"},
    {"overloaded", "text(Through, after the overload.) -> stop"},
    {"parallel", R"(bash({"command":"date"}) bash({"command":"uname -a"}) -> tool_use)"},
    {"plain", "text(Hello from the mock.) -> stop"},
    {"ratelimit", "text(Through, on the second try.) -> stop"},
    {"redacted", "think(Visible part.) text(Answer after redacted thinking.) -> stop"},
    {"redacted messages",
     "redacted(b3BhcXVlLWRhdGE=) think(Visible part.) "
     "text(Answer after redacted thinking.) -> stop"},
    {"servererror", "refused retryable"},
    {"slow", "text(A slow answer, word by word, so that the... 92 bytes) -> stop"},
    {"think", "think(The user greets. A short answer is enough.) text(Hello.) -> stop"},
    {"thinktool", R"(think(I need the date.) bash({"command":"date"}) -> tool_use)"},
    {"toolfirst", R"(bash({"command":"true"}) text(Text after the call.) )"
                  R"(bash({"command":"false"}) -> tool_use)"},
    {"toolong", "refused overflow"},
    {"unauthorized", "refused"},
    {"unicode", "text(naïve café — 日本語 ✓ 👩\u200d... 84 bytes) -> stop"},
    {"usage", "text(Counted.) -> stop"},
};

const std::string sums = "What is 2 + 2?\n(2 + 2)\nWhat is 2 + 2?\n(2 + 2)\nWhat is 2 + 2?\n(2 + 2";
const std::string sums_thought = "What is 2 + 2?\n\n(2 + 2)\nWhat is 2 + 2?\n(2 + 2)\nWhat is 2 + ";

const std::map<std::string, std::string> other_outcomes{
    {"fault-chat-auth_error", "refused"},
    {"fault-chat-connection_reset", "-> interrupted"},
    {"fault-chat-context_overflow", "refused overflow"},
    {"fault-chat-empty", "-> stop"},
    {"fault-chat-empty_body", "-> interrupted"},
    {"fault-chat-invalid_request", "refused"},
    {"fault-chat-malformed_event", "-> interrupted"},
    {"fault-chat-malformed_json", "-> error"},
    {"fault-chat-max_tokens", "text(All is well.) -> length"},
    {"fault-chat-partial_disconnect", "text(This half arrives) -> interrupted"},
    {"fault-chat-partial_eof", "text(This half arrives) -> interrupted"},
    {"fault-chat-quota_exceeded", "refused"},
    {"fault-chat-rate_limit", "refused retryable"},
    {"fault-chat-reasoning_success", "think(I think.) text(All is well.) -> stop"},
    {"fault-chat-server_error", "refused retryable"},
    {"fault-chat-service_unavailable", "refused retryable"},
    {"fault-chat-slow_success", "text(All is well.) -> stop"},
    {"fault-chat-stall", "-> interrupted"},
    {"fault-chat-stream_disconnect", "-> interrupted"},
    {"fault-chat-stream_eof", "-> interrupted"},
    {"fault-chat-success", "text(All is well.) -> stop"},
    {"fault-chat-tool_call_success", R"(bash({"command":"ls -1"}) -> tool_use)"},
    {"fault-chat-wrong_content_type", "text(All is well.) -> stop"},
    {"llama-chat-jsonschema-stream",
     "text({\"title\"\n                    :\"yone, this is a\", \"n\" : 3 }) -> length"},
    {"llama-chat-length-stream", "text(\"Tednes, I have a) -> length"},
    // The second call looks whole, but the limit struck: nobody knows what was to follow.
    {"llama-chat-parallel-tools-stream",
     R"(get_weather({"city":". 1. 1...","unit":"celsius"}) )"
     R"(bash({"_raw":"{ \"command\" :\". One.\"\n                  \t\t}"}) -> length)"},
    {"llama-chat-stream", "text(The capital of France is Paris.) -> stop"},
    {"llama-chat-think-stream", "think(" + sums_thought + ") text(" + sums + ") -> length"},
    {"llama-chat-tool-auto-stream", R"(bash({"command":"weather"}) -> tool_use)"},
    {"llama-chat-tool-required-stream", R"(bash({"command":"ls"}) -> tool_use)"},
    {"llama-chat-tool-result-stream", "text(It is a sunny day in Paris.) -> stop"},
    {"llama-err-ctx-end-stream",
     "text(\"Tednes, Tednesday, I have a surprise fo... 1501 bytes) -> length"},
    {"llama-messages-maxtokens-stream", "text(\"Tednes, I have a) -> length"},
    {"llama-messages-stream", "text(The capital of France is Paris.) -> stop"},
    {"llama-messages-think-stream",
     "think(What is 2 + 2?\n\n(2 + 2)\nWhat is 2 + 2?\n(2 +) "
     "text(<assistant|>\nWhat is 2 + 2?\n(2 + 2)\nWhat... 89 bytes) -> length"},
    {"llama-messages-tool-any-stream", R"(bash({"command":"ls"}) -> tool_use)"},
    {"llama-messages-tool-auto-stream", R"(bash({"command":"weather"}) -> tool_use)"},
    {"llama-messages-tool-result-stream", "text(It is a sunny day in Paris.) -> stop"},
    {"llama-responses-stream", "text(The capital of France is Paris.) -> stop"},
    {"llama-responses-think-stream", "think(" + sums_thought + ") text(" + sums + ") -> stop"},
    {"llama-responses-tool-result-stream", "text(It is a sunny day in Paris.) -> stop"},
    {"llama-responses-tool-stream", R"(bash({"command":"weather"}) -> tool_use)"},
};

// "mock-gemini-cut" has the wire "gemini" and the scenario "cut".
std::string wire_of(const std::string& name) {
  for (const char* wire : {"messages", "responses", "gemini"})
    if (name.find(std::string("-") + wire + "-") != std::string::npos) return wire;
  return "chat";
}

const Codec& codec_of(const std::string& wire) {
  static const std::map<std::string, const Codec*> codecs{{"messages", &anthropic_messages},
                                                          {"responses", &openai_responses},
                                                          {"gemini", &google_gemini},
                                                          {"chat", &openai_chat}};
  return *codecs.at(wire);
}

std::string expected(const std::string& name) {
  const auto other = other_outcomes.find(name);
  if (other != other_outcomes.end()) return other->second;
  const std::string scenario = name.substr(name.rfind('-') + 1);
  const auto special = mock_outcomes.find(scenario + " " + wire_of(name));
  if (special != mock_outcomes.end()) return special->second;
  const auto common = mock_outcomes.find(scenario);
  return common == mock_outcomes.end() ? "not in the table" : common->second;
}

std::string outcome(const fs::path& capture) {
  const Codec& codec = codec_of(wire_of(capture.stem()));
  const std::string head = read(fs::path(capture).replace_extension(".hdr"));
  const int status = head.starts_with("HTTP/1.1 ") ? std::atoi(head.c_str() + 9) : 0;
  if (status == 0 || status == 200) return outline(replay(codec, read(capture)));
  const Explanation why = codec.explain(status, read(capture), {});
  return std::string("refused") + (why.overflow ? " overflow" : "") +
         (why.retryable ? " retryable" : "");
}

std::vector<fs::path> captures() {
  std::vector<fs::path> found;
  const char* samples = std::getenv("SKEIN_SAMPLES");
  if (samples == nullptr || !fs::exists(fs::path(samples) / "captures")) return found;
  for (const auto& entry : fs::directory_iterator(fs::path(samples) / "captures"))
    if (entry.path().extension() == ".sse") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

}  // namespace

TEST_CASE("every recorded stream comes out as what its server said") {
  const std::vector<fs::path> all = captures();
  if (all.empty()) {
    MESSAGE("skipped: SKEIN_SAMPLES is not set");
    return;
  }
  CHECK(all.size() >= mock_outcomes.size() + other_outcomes.size());
  for (const fs::path& capture : all) {
    const std::string name = capture.stem();
    CAPTURE(name);
    CHECK(outcome(capture) == expected(name));
  }
}

TEST_CASE("tokens of recorded streams are counted without what came from the cache") {
  const std::map<std::string, model::Usage> totals{
      {"llama-chat-stream", {15, 8, 14, 0, 0}},
      {"llama-messages-tool-any-stream", {39, 23, 238, 0, 0}},
      {"llama-responses-tool-result-stream", {65, 10, 264, 0, 0}},
      {"mock-chat-usage", {1234, 56, 0, 0, 0}},
      {"mock-gemini-usage", {1234, 56, 0, 0, 0}},
      {"mock-messages-usage", {1234, 56, 0, 0, 0}},
      {"mock-responses-usage", {1234, 56, 0, 0, 0}},
  };
  for (const fs::path& capture : captures()) {
    const auto total = totals.find(capture.stem());
    if (total == totals.end()) continue;
    CAPTURE(total->first);
    CHECK(replay(codec_of(wire_of(total->first)), read(capture)).usage == total->second);
  }
}

TEST_CASE("recorded surrogate pairs cut in two are joined on every wire") {
  for (const fs::path& capture : captures()) {
    const std::string name = capture.stem();
    if (!name.ends_with("-unicode")) continue;
    CAPTURE(name);
    CHECK(model::plain_text(replay(codec_of(wire_of(name)), read(capture))) ==
          "naïve café — 日本語 ✓ 👩\u200d👩\u200d👧 𝄞 \abell \x1b[31mnot red\x1b[0m \r\n\ttab");
  }
}
