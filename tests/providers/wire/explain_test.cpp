#include <doctest/doctest.h>

#include "providers/wire/codecs.h"

using namespace skein;
using namespace skein::wire;

namespace {

Explanation explain(int status, std::string_view body, const http::HttpHeaders& headers = {}) {
  return openai_chat.explain(status, body, headers);
}

std::string error(const std::string& message) {
  return R"({"error":{"message":")" + message + R"("}})";
}

}  // namespace

TEST_CASE("an error is a sentence with the status and the provider's words") {
  CHECK(
      explain(401, R"({"type":"error","error":{"type":"authentication_error","message":"bad"}})") ==
      Explanation{"the provider did not accept the key (401): bad"});
  CHECK(explain(404, R"([{"error":{"code":404,"message":"gone","status":"NOT_FOUND"}}])") ==
        Explanation{"the provider does not know this model or address (404): gone"});
  CHECK(explain(500, "") == Explanation{"the provider has an internal error (500)", false, true});
  CHECK(explain(502, "<html><h1>Bad gateway</h1></html>") ==
        Explanation{"the provider cannot be reached through its gateway (502)", false, true});
  CHECK(explain(400, "plain words\nand more") ==
        Explanation{"the provider refused the request (400): plain words"});
  CHECK(explain(418, R"({"error":"teapot"})") ==
        Explanation{"the provider reports an error (418): teapot"});
  CHECK(explain(422, R"({"detail":"field required"})") ==
        Explanation{"the provider refused the request (422): field required"});
}

TEST_CASE("a context that is too long is told apart, whoever says it") {
  for (const char* words : {
           "prompt is too long: 210000 tokens > 200000 maximum",
           "This model's maximum context length is 8192 tokens",
           "Your input exceeds the context window of this model",
           "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
           "the request exceeds the available context size, try increasing it",
           "Please reduce the length of the messages or completion",
           "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
           "Input is too long for requested model.",
           "prompt token count of 70000 exceeds the limit of 64000",
           "Your request exceeded model token limit: 262144",
       }) {
    CAPTURE(words);
    const Explanation why = explain(400, error(words));
    CHECK(why.overflow);
    CHECK(!why.retryable);
  }
  CHECK(explain(400, R"({"error":{"message":"no","code":"context_length_exceeded"}})").overflow);
  CHECK(explain(400, R"({"error":{"code":400,"message":"x","type":"exceed_context_size_error"}})")
            .overflow);
  CHECK(explain(413, "").overflow);
  CHECK(!explain(400, error("unknown parameter")).overflow);
  CHECK(!explain(429, error("too many tokens per minute")).overflow);
}

TEST_CASE("what was signed and is not taken back is told apart, whoever says it") {
  for (const char* said :
       {"messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a "
        "different conversation.",
        "messages.3.content.0: Invalid `signature` in `thinking` block",
        "messages.1: `thinking` or `redacted_thinking` blocks in the latest assistant message "
        "cannot be modified.",
        "Expected `thinking`, but found `text`. When `thinking` is enabled, a final `assistant` "
        "message must start with a thinking block",
        "If an assistant message contains any thinking blocks, the first block must be `thinking` "
        "or `redacted_thinking`. Found `text`.",
        "Corrupted thought signature.", "Invalid thought signature",
        "Function call is missing a thought_signature in functionCall parts.",
        "The encrypted content for item rs_1 could not be verified."}) {
    CAPTURE(said);
    CHECK(explain(400, error(said)).seals);
    CHECK_FALSE(explain(500, error(said)).seals);
  }
  for (const char* said : {"invalid request signature", "thinking.type: Field required",
                           "prompt is too long: Invalid thought signature"})
    CHECK_FALSE(explain(400, error(said)).seals);
}

TEST_CASE("only what may pass by itself is worth another try") {
  for (const int status : {408, 409, 429, 500, 502, 503, 504, 520, 529}) {
    CAPTURE(status);
    CHECK(explain(status, "").retryable);
  }
  for (const int status : {400, 401, 402, 403, 404, 413, 422}) {
    CAPTURE(status);
    CHECK(!explain(status, "").retryable);
  }
  CHECK(!explain(429, R"({"error":{"message":"x","code":"insufficient_quota"}})").retryable);
  CHECK(!explain(500, "", {{"x-should-retry", "false"}}).retryable);
  CHECK(explain(400, "", {{"x-should-retry", "true"}}).retryable);
}

TEST_CASE("a hostile body makes a short and valid sentence") {
  const Explanation why = explain(400, error(std::string(100'000, 'x') + "\xFF"));
  CHECK(why.text.size() < 1000);
  CHECK(is_valid_utf8(why.text));
  CHECK(is_valid_utf8(explain(400, "\xC3\x28\xFF").text));
  CHECK(explain(400, std::string(100'000, '[')).text.size() < 1000);
}
