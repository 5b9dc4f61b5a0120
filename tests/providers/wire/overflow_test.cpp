#include "providers/wire/wire.h"

#include <doctest/doctest.h>

#include "providers/wire/codecs.h"

using namespace skein;
using namespace skein::wire;

namespace {

model::delta::Overflow told(const std::string& message, const std::string& members = "") {
  return openai_chat
      .explain(400,
               R"({"error":{"code":"context_length_exceeded",)" + members + R"("message":")" +
                   message + R"("}})",
               {})
      .told;
}

}  // namespace

TEST_CASE("the window that a refusal names is read, in the words of each service") {
  const std::pair<const char*, model::delta::Overflow> sentences[] = {
      {"prompt is too long: 210000 tokens > 200000 maximum", {200'000, 210'000}},
      {"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease "
       "input "
       "length or `max_tokens` and try again",
       {200'000, 188'240}},
      {"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
       {1'048'576, 1'200'000}},
      {"The input token count exceeds the maximum number of tokens allowed (1048576).",
       {1'048'576, 0}},
      {"request (3176 tokens) exceeds the available context size (3072 tokens), try increasing it",
       {3072, 3176}},
      {"This model's maximum context length is 8192 tokens. However, your messages resulted in "
       "8227 "
       "tokens. Please reduce the length of the messages.",
       {8192, 8227}},
      {"This model's maximum context length is 4097 tokens. However, you requested 4203 tokens "
       "(3703 in the messages, 500 in the completion). Please reduce the length.",
       {4097, 3703}},
      {"This model's maximum context length is 2049 tokens, however you requested 2054 tokens "
       "(2049 "
       "in your prompt; 5 for the completion).",
       {2049, 2049}},
      {"This model's maximum context length is 32768 tokens and your request has 40000 input "
       "tokens.",
       {32'768, 40'000}},
      {"This endpoint's maximum context length is 131,072 tokens. However, you requested about "
       "160000 tokens (150000 of text input, 10000 in the output).",
       {131'072, 150'000}},
      {"This model's maximum context length is 16384 tokens.", {16'384, 0}},
      {"This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
       {131'072, 537'812}},
      {"prompt token count of 70000 exceeds the limit of 64000", {64'000, 70'000}},
      {"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum "
       "context length",
       {32'768, 40'000}},
      {"Your request exceeded model token limit: 262144 (requested: 270000)", {262'144, 270'000}},
      {"Your input exceeds the context window of this model.", {}},
      {"maximum context length is 12 tokens", {}},
      {"maximum context length is 99999999999999999999999 tokens", {}},
      {"", {}},
  };
  for (const auto& [sentence, expected] : sentences) {
    CAPTURE(sentence);
    CHECK(told(sentence).window == expected.window);
    CHECK(told(sentence).sent == expected.sent);
  }
}

TEST_CASE("numbers beside the sentence count more than those in it") {
  CHECK(told("the request exceeds the available context size",
             R"("n_prompt_tokens":3176,"n_ctx":3072,)") == model::delta::Overflow{3072, 3176});
  CHECK(told("prompt is too long: 5000 tokens > 4000 maximum", R"("n_ctx":3072,)") ==
        model::delta::Overflow{3072, 5000});
}

TEST_CASE("what is no overflow names no window") {
  CHECK(openai_chat
            .explain(429,
                     R"({"error":{"message":"prompt is too long: 9000 tokens > 8000 maximum"}})",
                     {})
            .told == model::delta::Overflow{});
}

TEST_CASE("an overflow inside a stream names its window too") {
  const model::Deltas deltas = anthropic_messages.decode(
      {.name = "error",
       .data =
           R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})"});
  REQUIRE(deltas.size() == 1);
  CHECK(std::get<model::delta::Failed>(deltas[0]).told == model::delta::Overflow{200'000, 210'000});
}
