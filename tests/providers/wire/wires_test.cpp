// What must hold on every wire alike.
#include <doctest/doctest.h>

#include <random>

#include "core/text/json.h"
#include "tests/support/replay.h"
#include "tests/support/streams.h"

using namespace skein;
using namespace skein::wire;

namespace {

const std::vector<const Codec*> codecs{&anthropic_messages, &openai_chat, &openai_responses,
                                       &google_gemini};

}  // namespace

TEST_CASE("the same words come out the same on every wire") {
  const std::string talked =
      "think(stream by stream, a\tword and \"so\" on.\ncaf\u00e9 ) "
      "text(stream by stream, a\tword and \"so\" on.\ncaf\u00e9 ) "
      R"(bash({"command":"echo echo "}) bash({"command":"echo echo "}) )"
      R"(bash({"command":"echo echo "}) -> tool_use)";
  const std::string odd =
      "think(na\u00efve \u65e5\u672c\U0001D11E\U0001F600 \u00e9\U0001F600 ) "
      "text(na\u00efve \u65e5\u672c\U0001D11E\U0001F600 \u00e9\U0001F600 ) "
      "bash({\"text\":\"\U0001D11E \u65e5\u672c\"}) -> tool_use";
  for (const Codec* codec : codecs) {
    CAPTURE(codec->name);
    CHECK(outline(replay(*codec, rendered(*codec, talk(8), model::Stop::tool_use))) == talked);
    CHECK(outline(replay(*codec, rendered(*codec, alphabets(0), model::Stop::stop))) == odd);
  }
}

TEST_CASE("damaged streams give no call whose input is not an object, and never a crash") {
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  const std::string bytes("\0\n\r\x7f\xff{}[]\":,\\u09aZ ", 20);
  std::size_t calls = 0;
  for (const BuiltStream& stream : built_streams(8))
    for (int round = 0; round < 100; ++round) {
      std::string body = stream.body;
      for (std::size_t i = 0, damages = 1 + below(4); i < damages; ++i) {
        const std::size_t at = below(body.size());
        if (below(2) == 0)
          body[at] = bytes[below(bytes.size())];
        else
          body.erase(at, 1 + below(40));
      }
      const model::Message message = replay(*stream.codec, body);
      for (const model::ToolUse* call : model::tool_uses(message)) {
        const std::optional<Json> input = parse_json(call->input);
        CHECK((input && input->is_object() && !call->id.empty() && !call->name.empty()));
        ++calls;
      }
      CHECK(model::message_from_json(model::to_json(message)).has_value());
    }
  CHECK(calls > 1000);
}

TEST_CASE("a request survives whatever a transcript holds") {
  const std::string odd("a\0b\xff\xed\xa0\x80", 7);
  model::Context context{.system = odd, .tools = {{odd, odd, "not json"}}};
  for (const model::Role role : {model::Role::user, model::Role::assistant, model::Role::tool})
    context.messages.push_back(
        {.role = role,
         .content = {model::Text{odd, "{"}, model::Thinking{odd, odd, true, "[]"},
                     model::Thinking{"", odd, false, "7"}, model::Image{odd, "", odd},
                     model::ToolUse{odd, odd, "{", "null"},
                     model::ToolResult{
                         odd, {model::Text{odd}, model::Image{odd}, model::Opaque{odd, odd}}, true},
                     model::Opaque{"p", "{"}, model::Opaque{"p", ""}}});
  for (const Codec* codec : codecs) {
    CAPTURE(codec->name);
    CHECK(parse_json(codec->encode(context, {"p", odd}, {}).body).has_value());
    CHECK(parse_json(codec->encode({}, {"p", "m"}, {}).body).has_value());
  }
}
