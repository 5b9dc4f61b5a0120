#include "core/model/message.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::model;

namespace {

Message everything() {
  Message message{.role = Role::assistant, .provider = "anthropic", .model = "m"};
  message.content = {
      Thinking{"hm", "c2ln", false, R"({"id":"rs_1"})"},
      Thinking{"", "ZW5j", true},
      Text{"line\nquote\" \\ \u00e9", R"({"phase":"final"})"},
      Image{"image/png", "abc123"},
      ToolUse{"call_1", "bash", R"({"z":1,"a":[true,null,1.5]})", R"({"thoughtSignature":"x"})"},
      Opaque{"anthropic", R"({"type":"server_tool_use","n":2})"},
  };
  message.stop = Stop::tool_use;
  message.usage = Usage{10, 20, 30, 40, 5};
  message.duration_ms = 1234;
  return message;
}

}  // namespace

TEST_CASE("a message comes back from its JSON form as it was") {
  CHECK(message_from_json(to_json(everything())) == everything());

  Message result{.role = Role::tool};
  result.content = {ToolResult{"call_1", {Text{"out"}, Image{"image/png", "b"}}, true, "blob1"}};
  CHECK(message_from_json(to_json(result)) == result);
}

TEST_CASE("a block of an unknown type is kept as it is") {
  const auto message = message_from_json(
      R"({"role":"assistant","content":[{"type":"hologram","depth":3}],"stopReason":"new_reason"})");

  REQUIRE(message);
  CHECK(message->content == std::vector<Block>{Opaque{"", R"({"type":"hologram","depth":3})"}});
  CHECK(message->stop == Stop::stop);
}

TEST_CASE("what is not a message is not taken for one") {
  CHECK_FALSE(message_from_json("{"));
  CHECK_FALSE(message_from_json("[]"));
  CHECK_FALSE(message_from_json(R"({"role":"robot","content":[]})"));
}

TEST_CASE("a sum of usage passes over what cannot be") {
  Usage total{.input = 1, .output = 2};
  total += Usage{-5, 3, INT64_MIN, INT64_MAX, -1};
  total += Usage{.input = 4};
  CHECK(total == Usage{.input = 5, .output = 5});
}

TEST_CASE("texts are paragraphs where something stood between them, and pieces where not") {
  const auto text_of = [](std::vector<Block> content) {
    return plain_text({.role = Role::assistant, .content = std::move(content)});
  };
  CHECK(text_of({Text{"The sky"}, Text{" is blue"}, Text{"."}}) == "The sky is blue.");
  CHECK(text_of({Text{"I look."}, ToolUse{"1", "look"}, Text{"Done."}}) == "I look.\n\nDone.");
  CHECK(text_of({Thinking{"hm"}, Text{"a\n"}, Thinking{"hm"}, Text{"b"}}) == "a\nb");
}

TEST_CASE("a request to go on is marked in the payload, where a scan finds it first") {
  Message request = user_message("Go on.");
  request.continuation = true;
  const JsonText payload = to_json(request);
  CHECK(payload.starts_with(R"({"role":"user","continuation":true,)"));
  CHECK(message_from_json(payload) == request);
  CHECK_FALSE(is_prompt(request));
  CHECK(is_prompt(user_message("hi")));
}
