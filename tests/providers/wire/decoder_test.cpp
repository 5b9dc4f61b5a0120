#include "providers/wire/decoder.h"

#include <doctest/doctest.h>

#include "tests/support/replay.h"

using namespace skein;
using namespace skein::wire;

namespace {

std::string chat_text(const std::string& json_string) {
  return R"({"choices":[{"index":0,"delta":{"content":)" + json_string + "}}]}";
}
const std::string chat_stop = R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";

std::string said(const std::vector<std::string>& strings) {
  std::vector<std::string> events;
  for (const std::string& each : strings) events.push_back(chat_text(each));
  events.push_back(chat_stop);
  return model::plain_text(replay(openai_chat, sse(events)));
}

}  // namespace

TEST_CASE("a surrogate pair cut in two is joined, within an event and across events") {
  CHECK(said({R"("\ud834\udd1e")"}) == "𝄞");
  CHECK(said({R"("a\ud834")", R"("\udd1eb")"}) == "a𝄞b");
  CHECK(said({R"("\uD834")", R"("")", R"("\uDD1E")"}) == "𝄞");
  CHECK(said({R"("\ud834")", R"("\udd1e\ud834")", R"("\udd1e")"}) == "𝄞𝄞");
}

TEST_CASE("a lone surrogate becomes U+FFFD and takes nothing with it") {
  CHECK(said({R"("a\ud834b")"}) == "a\uFFFDb");
  CHECK(said({R"("\udd1e")", R"("x")"}) == "\uFFFDx");
  CHECK(said({R"("a\ud834")", R"("b")"}) == "a\uFFFDb");
  CHECK(said({R"("a\ud834")"}) == "a\uFFFD");
  CHECK(said({R"("\ud834\ud834\udd1e")"}) == "\uFFFD𝄞");
}

TEST_CASE("an escaped backslash before ud834 is no surrogate") {
  CHECK(said({R"("\\ud834")"}) == "\\ud834");
}

TEST_CASE("private-use characters a model really wrote are left alone") {
  CHECK(said({"\"\U0010F834\"", "\"\U0010FC00\""}) == "\U0010F834\U0010FC00");
}

TEST_CASE("halves of different blocks are not joined") {
  const auto delta = [](int index, const char* text) {
    return R"({"type":"content_block_delta","index":)" + std::to_string(index) +
           R"(,"delta":{"type":"text_delta","text":")" + text + R"("}})";
  };
  const model::Message message = replay(
      anthropic_messages, sse({delta(0, "a\\ud834"), delta(1, "b\\ud83d"), delta(0, "\\udd1e"),
                               delta(1, "\\ude00"), delta(1, "\\ud834")}));

  CHECK(message.content == std::vector<model::Block>{model::Text{"a𝄞"}, model::Text{"b😀\uFFFD"}});
}

TEST_CASE("malformed UTF-8 in an event does not cost the event") {
  CHECK(said({"\"a\xFF\xC3\"", "\"b\""}) == "a\uFFFD\uFFFDb");
}

TEST_CASE("a body that is no event stream is a failure that says what it was") {
  CHECK(outline(replay(openai_chat, "<html>login</html>")) == "-> error");
  CHECK(outline(replay(openai_chat, "{broken")) == "-> error");
  const model::Message told = replay(openai_chat, R"({"error":{"message":"no such thing"}})");
  CHECK(told.stop == model::Stop::error);
  CHECK(told.error == "the provider sent something that is not a stream of events: no such thing");
}

TEST_CASE("an event cut by the end of the stream is an interruption, one in the middle an error") {
  const std::string start = sse({chat_text("\"a\"")});

  CHECK(outline(replay(openai_chat, start + R"(data: {"choices":[{"ind)")) ==
        "text(a) -> interrupted");
  CHECK(outline(replay(openai_chat, start + "data: {\"choices\":[{\"ind\n\ndata: [DONE]\n\n")) ==
        "text(a) -> error");
}

TEST_CASE("an event that only lacks its line end counts") {
  CHECK(outline(replay(openai_chat, "data: " + chat_text("\"a\"") + "\n\ndata: " + chat_stop)) ==
        "text(a) -> stop");
}

TEST_CASE("an event over the limit is reported once") {
  StreamDecoder decoder(openai_chat, {.event = 100});
  std::size_t failures = 0;
  for (int i = 0; i < 80; ++i) failures += decoder.feed("data: xxxxxxxx").size();

  CHECK(failures == 1);
}

TEST_CASE("a flood of small events ends in a failure instead of the memory") {
  StreamDecoder decoder(openai_chat, {.body = 1000});
  std::size_t failures = 0;
  for (int i = 0; i < 300; ++i) failures += decoder.feed(": alive\n\n").size();

  CHECK(failures == 1);
}
