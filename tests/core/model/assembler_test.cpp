#include "core/model/assembler.h"

#include <doctest/doctest.h>

#include "core/text/json.h"

using namespace skein;
using namespace skein::model;

namespace {

Assembler fed(const Deltas& deltas) {
  Assembler assembler("p", "m", "s");
  for (const Delta& delta : deltas) assembler.add(delta);
  return assembler;
}

Message reply(std::vector<Block> content, Stop stop, std::string error = {}) {
  return Message{.role = Role::assistant,
                 .content = std::move(content),
                 .provider = "p",
                 .model = "m",
                 .stop = stop,
                 .error = std::move(error)};
}

Deltas operator+(Deltas first, const Deltas& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Deltas done{delta::StopReason{Stop::stop}, delta::Finished{}};

Deltas call(const std::string& key, const std::string& id, const std::string& input) {
  return {delta::ToolStart{key, id, "bash"}, delta::ToolInput{key, input}, delta::BlockEnd{key}};
}

}  // namespace

TEST_CASE("pieces without a block go on with the last block while it is of their kind") {
  const Deltas deltas{delta::ThinkingPiece{"", "h"}, delta::ThinkingPiece{"", "m"},
                      delta::TextPiece{"", "a"},     delta::TextPiece{"", "b"},
                      delta::BlockEnd{""},           delta::TextPiece{"", "c"}};

  CHECK(fed(deltas + done).message() == reply({Thinking{"hm"}, Text{"ab"}, Text{"c"}}, Stop::stop));
}

TEST_CASE("several blocks may be open at once and in any order of their indices") {
  const Deltas deltas{delta::ToolStart{"7", "x", "read"},
                      delta::TextPiece{"2", "te"},
                      delta::ToolStart{"0", "y", "bash"},
                      delta::ToolInput{"7", "{\"a\""},
                      delta::ToolInput{"0", ""},
                      delta::TextPiece{"2", "xt"},
                      delta::ToolInput{"7", ":1}"},
                      delta::BlockEnd{"0"},
                      delta::BlockEnd{"7"},
                      delta::BlockEnd{"2"}};

  CHECK(fed(deltas + done).message() ==
        reply({ToolUse{"x", "read", R"({"a":1})"}, Text{"text"}, ToolUse{"y", "bash", "{}"}},
              Stop::tool_use));
}

TEST_CASE("a stream without its terminal marker is interrupted, whatever it said") {
  CHECK(fed({}).message() == reply({}, Stop::interrupted));
  CHECK(fed({delta::TextPiece{"", "a"}, delta::StopReason{Stop::stop}}).message() ==
        reply({Text{"a"}}, Stop::interrupted));
  CHECK(fed({delta::Finished{}}).message() == reply({}, Stop::interrupted));
}

TEST_CASE("a call counts only once it ended") {
  const Deltas open{delta::TextPiece{"0", "a"}, delta::ToolStart{"1", "x", "bash"},
                    delta::ToolInput{"1", "{}"}};

  CHECK(fed(open).message() == reply({Text{"a"}}, Stop::interrupted));
  CHECK(fed(open).aborted() == reply({Text{"a"}}, Stop::aborted));
  CHECK(fed(open + Deltas{delta::BlockEnd{"1"}}).message() ==
        reply({Text{"a"}, ToolUse{"x", "bash", "{}"}}, Stop::interrupted));
  // More input after the end means that it was not the end.
  CHECK(fed(open + Deltas{delta::BlockEnd{"1"}, delta::ToolInput{"1", " "}}).message() ==
        reply({Text{"a"}}, Stop::interrupted));
}

TEST_CASE("a call that the limit cut is kept as far as it came, with its fault") {
  const Deltas open{delta::TextPiece{"0", "a"}, delta::ToolStart{"1", "x", "bash"},
                    delta::ToolInput{"1", "{\"command\":\"ec"}};
  const ToolUse cut{
      "x", "bash", R"({"_raw":"{\"command\":\"ec"})", {}, "the call of bash never ended"};
  const Deltas limit{delta::StopReason{Stop::length}, delta::Finished{}};
  CHECK(fed(open + limit).message() == reply({Text{"a"}, cut}, Stop::length));
  CHECK(fed(open + limit).aborted() == reply({Text{"a"}}, Stop::aborted));
  CHECK(fed(open + done).message() == reply({Text{"a"}, cut}, Stop::tool_use));
}

TEST_CASE("a call whose input is not a JSON object comes with what was said and its fault") {
  const std::string fault =
      "the arguments of bash are not a JSON object; make the call again with one that fits its "
      "schema";
  for (const char* input :
       {"{\"a\":", "[]", "1", "null", "\"x\"", "{} {}", "{\"a\":01}", "{a:1}"}) {
    CAPTURE(input);
    CHECK(fed(call("0", "x", input) + done).message() ==
          reply({ToolUse{"x", "bash", dump({{"_raw", input}}), {}, fault}}, Stop::tool_use));
    CHECK(fed(call("0", "x", input)).message() == reply({}, Stop::interrupted));
  }
  CHECK(
      fed({delta::ToolStart{"0", "x", ""}, delta::BlockEnd{"0"}, delta::StopReason{Stop::stop},
           delta::Finished{}})
          .message() ==
      reply({ToolUse{"x", "unnamed", "{}", {}, "the call does not name a tool"}}, Stop::tool_use));
}

TEST_CASE("a call's input is stored as its compact text, empty text as no input") {
  CHECK(fed(call("0", "x", " { \"b\" : 1 ,\n\"a\":[ ] } ") + done).message() ==
        reply({ToolUse{"x", "bash", R"({"b":1,"a":[]})"}}, Stop::tool_use));
  CHECK(fed(call("0", "x", "") + done).message() ==
        reply({ToolUse{"x", "bash", "{}"}}, Stop::tool_use));
  CHECK(fed(call("0", "x", R"({"a":"\ud834"})") + done).message() ==
        reply({ToolUse{"x", "bash", "{\"a\":\"\uFFFD\"}"}}, Stop::tool_use));
  CHECK(fed({delta::ToolStart{"0", "x", "bash"}, delta::ToolInput{"0", "{\"hal"},
             delta::ToolInput{"0", "{\"a\":1}", true}, delta::BlockEnd{"0"}, delta::Finished{}})
            .message() == reply({ToolUse{"x", "bash", R"({"a":1})"}}, Stop::tool_use));
}

TEST_CASE("what counts is whether calls were made, not what the end is called") {
  const Deltas said{delta::TextPiece{"", "a"}, delta::StopReason{Stop::tool_use},
                    delta::Finished{}};

  CHECK(fed(call("0", "x", "{}") + done).message().stop == Stop::tool_use);
  CHECK(fed(said).message().stop == Stop::stop);
}

TEST_CASE("one end for all blocks ends every call") {
  const Deltas deltas{delta::ToolStart{"0", "x", "bash"}, delta::ToolStart{"1", "y", "bash"},
                      delta::BlockEnd{"", true}};

  CHECK(fed(deltas + done).message() ==
        reply({ToolUse{"x", "bash"}, ToolUse{"y", "bash"}}, Stop::tool_use));
}

TEST_CASE("a new id under a known index is a new call, a repeated one is not") {
  const Deltas deltas{delta::ToolStart{"0", "x", "bash"}, delta::ToolInput{"0", "{\"a\":"},
                      delta::ToolStart{"0", "x", "bash"}, delta::ToolInput{"0", "1}"},
                      delta::ToolStart{"0", "y", "read"}, delta::ToolInput{"0", "{}"},
                      delta::BlockEnd{"", true}};

  CHECK(fed(deltas + done).message() ==
        reply({ToolUse{"x", "bash", R"({"a":1})"}, ToolUse{"y", "read"}}, Stop::tool_use));
}

TEST_CASE("calls without an id, or with one already used, get one of their own") {
  const Deltas deltas = call("", "", "{}") + call("", "x", "{}") + call("", "x", "{}");

  CHECK(fed(deltas + done).message() ==
        reply({ToolUse{"call_s_1", "bash"}, ToolUse{"x", "bash"}, ToolUse{"call_s_3", "bash"}},
              Stop::tool_use));
}

TEST_CASE("signatures and provider data stay on the block they came with") {
  const Deltas deltas{delta::ThinkingPiece{"0", "hm"},
                      delta::Signature{"0", "old"},
                      delta::Signature{"0", "new"},
                      delta::Signature{"1", "enc", true},
                      delta::TextPiece{"2", "a"},
                      delta::ProviderData{"2", R"({"id":"m1"})"},
                      delta::ProviderData{"2", R"({"phase":"f"})"},
                      delta::ProviderData{"9", R"({"lost":1})"}};

  CHECK(fed(deltas + done).message() == reply({Thinking{"hm", "new"}, Thinking{"", "enc", true},
                                               Text{"a", R"({"id":"m1","phase":"f"})"}},
                                              Stop::stop));
}

TEST_CASE("a block we do not know is kept when it is whole") {
  const Deltas start{delta::Unknown{"0", R"({"type":"server_tool_use","input":{}})"},
                     delta::ToolInput{"0", R"({"q":)"}};

  CHECK(fed(start).message() == reply({}, Stop::interrupted));
  CHECK(fed(start + Deltas{delta::ToolInput{"0", "1}"}, delta::BlockEnd{"0"}} + done).message() ==
        reply({Opaque{"p", R"({"type":"server_tool_use","input":{"q":1}})"}}, Stop::stop));
  CHECK(fed(Deltas{delta::Unknown{"0", R"({"type":"x"})"},
                   delta::ProviderData{"0", R"({"content":"c"})"}, delta::BlockEnd{"0"}} +
            done)
            .message() == reply({Opaque{"p", R"({"type":"x","content":"c"})"}}, Stop::stop));
}

TEST_CASE("empty blocks that carry nothing for anyone are left out") {
  CHECK(fed(Deltas{delta::TextPiece{"0", ""}, delta::ThinkingPiece{"1", ""}} + done).message() ==
        reply({}, Stop::stop));
}

TEST_CASE("totals overwrite and what is missing keeps its value") {
  const Message message = fed(Deltas{delta::UsageUpdate{.input = 5, .output = 1, .cache_read = 7},
                                     delta::UsageUpdate{.output = 9, .reasoning = 2}} +
                              done)
                              .message();

  CHECK(message.usage == Usage{5, 9, 7, 0, 2});
}

TEST_CASE("a failure keeps what arrived, and the first one counts") {
  const Assembler assembler =
      fed(Deltas{delta::TextPiece{"", "a"}} + call("1", "x", "{}") +
          Deltas{delta::Failed{"overloaded", false, true}, delta::Failed{"again"}} + done);

  CHECK(assembler.message() == reply({Text{"a"}, ToolUse{"x", "bash"}}, Stop::error, "overloaded"));
  CHECK(assembler.failure() == delta::Failed{"overloaded", false, true});
}

TEST_CASE("a refusal stays one although the server calls the end a plain stop") {
  CHECK(fed(Deltas{delta::TextPiece{"", "no"}, delta::StopReason{Stop::refusal, "policy"}} + done)
            .message() == reply({Text{"no"}}, Stop::refusal, "policy"));
}

TEST_CASE("a stop by the user keeps text, thinking and finished calls") {
  const Deltas deltas = Deltas{delta::ThinkingPiece{"", "h"}, delta::TextPiece{"", "a"}} +
                        call("1", "x", "{}") + Deltas{delta::ToolStart{"2", "y", "bash"}};

  CHECK(fed(deltas).aborted() ==
        reply({Thinking{"h"}, Text{"a"}, ToolUse{"x", "bash"}}, Stop::aborted));
}

TEST_CASE("a usage no provider can mean is taken as not given") {
  const Message message =
      fed(Deltas{delta::UsageUpdate{.input = 5, .output = -5, .cache_read = INT64_MIN},
                 delta::UsageUpdate{.input = -1, .output = 3, .cache_write = 1'000'000'000'000}} +
          Deltas{delta::TextPiece{"", "x"}, delta::StopReason{Stop::stop}, delta::Finished{}})
          .message();
  CHECK(message.usage == Usage{.input = 5, .output = 3});
}
