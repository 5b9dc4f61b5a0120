#include "core/model/state.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::model;

namespace {

SessionState folded(std::initializer_list<Entry> entries) {
  SessionState state;
  Position at = 100;
  for (const Entry& entry : entries) fold(state, facts_of(entry, at++));
  return state;
}

Entry entry(std::uint64_t id, std::uint64_t parent, std::string_view type, JsonText payload) {
  return {.id = Id{id},
          .parent = parent ? std::optional(Id{parent}) : std::nullopt,
          .type = std::string(type),
          .timestamp = "2026-01-02T03:04:0" + std::to_string(id % 10) + ".000Z",
          .payload = std::move(payload)};
}

Entry user(std::uint64_t id, std::uint64_t parent, const std::string& text = "hi") {
  return entry(id, parent, type::message, to_json(user_message(text)));
}

Entry custom(std::uint64_t id, JsonText payload) {
  return entry(id, 0, type::custom, std::move(payload));
}

}  // namespace

TEST_CASE("the head is the last entry, wherever the file branched") {
  const SessionState state = folded({user(1, 0), user(2, 1), user(3, 2), user(4, 2)});

  CHECK(state.head == Id{4});
  CHECK(state.tail == Id{4});
  CHECK(state.head_at == 103);
  CHECK(state.leaves == std::vector{Id{3}, Id{4}});
  CHECK(state.entries == 4);
  CHECK(state.messages == 4);
  CHECK(state.updated_at == "2026-01-02T03:04:04.000Z");
}

TEST_CASE("a head that was moved stays where it was put until something is written") {
  SessionState state = folded(
      {user(1, 0), user(2, 1), custom(3, R"({"kind":"head","entryId":"0000000000000001"})")});
  CHECK(state.head == Id{1});
  CHECK(state.tail == Id{2});
  CHECK(state.head_at == 0);

  fold(state, facts_of(user(4, 1), 900));
  CHECK(state.head == Id{4});
  CHECK(state.leaves == std::vector{Id{2}, Id{4}});
}

TEST_CASE("a title comes from the first prompt until one is given") {
  CHECK(folded({user(1, 0, "  fix\nthe   build  "), user(2, 1, "other")}).title == "fix the build");
  const SessionState named =
      folded({user(1, 0), custom(2, R"({"kind":"title","text":"mine"})"), user(3, 1)});
  CHECK(named.title == "mine");
  CHECK(named.title_given);
  CHECK(title_from("say\r \x1b[31m\u009b0m\x7f\x07 ü\tor U") == "say [31m0m ü or U");
  CHECK(title_from(std::string(200, 'x')) == std::string(60, 'x') + "…");
}

TEST_CASE("usage is added up by model and tool calls are counted") {
  Message reply{.role = Role::assistant, .content = {Text{"ok"}}, .provider = "p", .model = "m"};
  reply.usage = Usage{1, 2, 3, 4, 1};
  reply.duration_ms = 50;
  Message result{.role = Role::tool, .content = {ToolResult{"c", {Text{"out"}}}}};
  const SessionState state = folded({entry(1, 0, type::message, to_json(reply)),
                                     entry(2, 1, type::message, to_json(result)),
                                     entry(3, 2, type::message, to_json(reply))});

  CHECK(state.model == "p/m");
  CHECK(state.usage == std::map<std::string, Usage>{{"p/m", {2, 4, 6, 8, 2}}});
  CHECK(total_usage(state) == Usage{2, 4, 6, 8, 2});
  CHECK(state.tool_calls == 1);
  CHECK(state.messages == 0);
  CHECK(state.duration_ms == 100);
}

TEST_CASE("an answer is counted in whatever form it was written") {
  const std::string counts = R"("usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4})";
  const std::string from = R"("provider":"p","model":"m")";
  for (const std::string& payload :
       {R"({"role":"assistant","content":[],)" + from + "," + counts + "}",
        R"({"role":"assistant","content":[],)" + from + "," + counts + R"(},"meta":{"a":[1]})",
        R"({"role":"assistant","content":[],)" + from + "," + counts +
            R"(},"meta":{"request":{"bytes":1}})",
        R"({"role":"assistant","content":[],)" + from + R"(,"errorMessage":"a [ ] b",)" + counts +
            "}",
        R"({"role":"assistant",)" + counts + "," + from + R"(,"content":[]})",
        R"({"content":[{"type":"text","text":"],\"provider\":\"x\""}],)" + counts + "," + from +
            R"(,"role":"assistant"})"}) {
    INFO(payload);
    const SessionState state = folded({entry(1, 0, type::message, payload)});
    CHECK(state.model == "p/m");
    CHECK(state.usage == std::map<std::string, Usage>{{"p/m", {1, 2, 3, 4, 0}}});
  }
  const SessionState nothing = folded({entry(
      1, 0, type::message, R"({"role":"assistant","content":[{"type":"text","text":"a"}]})")});
  CHECK(nothing.model.empty());
  CHECK(nothing.usage.empty());
}

TEST_CASE("an answer with the facts of its request behind it is still read without a parser") {
  const std::string payload =
      R"({"role":"assistant","content":[{"type":"text","text":"a"}],"provider":"p","model":"m"})";
  for (const char* meta : {"", R"(,"meta":{"request":{"sha256":"ab","bytes":12}})"}) {
    const std::string body = payload + meta;
    const auto answer = read_answer(body);
    REQUIRE(answer);
    CHECK(answer->content == R"([{"type":"text","text":"a"}])");
    CHECK(answer->footer.model == "m");
  }
  CHECK(!read_answer(payload + ",\"other\":{}"));
}

TEST_CASE("settings, snapshots, labels, redactions and rules fold into the state") {
  const SessionState state = folded(
      {user(1, 0), entry(2, 1, type::model_change, R"({"provider":"p","model":"big"})"),
       entry(3, 1, type::thinking_level_change, R"({"level":"high"})"),
       entry(4, 1, type::system_prompt_override, R"({"text":"be brief"})"),
       entry(5, 1, type::redaction, R"({"targetEntryId":"0000000000000001","reason":"key"})"),
       custom(6, R"({"kind":"snapshot","name":"a","entryId":"0000000000000001"})"),
       custom(7, R"({"kind":"snapshot","name":"b","entryId":"0000000000000001"})"),
       custom(8, R"({"kind":"snapshot","name":"a","entryId":null})"),
       custom(9, R"({"kind":"label","entryId":"0000000000000001","text":"start"})"),
       custom(10, R"x({"kind":"permissions","rules":["bash(ls)",7]})x"),
       custom(11, R"({"kind":"key","key":"main:cli:other"})"), custom(12, R"({"kind":"new"})"),
       entry(13, 1, type::runtime_init, "{}"),
       custom(14, R"({"kind":"thinking_off_before","entryId":"0000000000000001"})")});

  CHECK(state.model == "p/big");
  CHECK(state.thinking == "high");
  CHECK(state.system == "be brief");
  CHECK(state.redacted == std::set{Id{1}});
  CHECK(state.thinking_off == std::set{Id{1}});
  CHECK(state.snapshots == std::map<std::string, Id>{{"b", Id{1}}});
  CHECK(state.labels == std::map<Id, std::string>{{Id{1}, "start"}});
  CHECK(state.permissions == std::vector<std::string>{"bash(ls)"});
  CHECK(state.key == "main:cli:other");
  CHECK(state.runtime_init == 112);
  CHECK(state.tail == Id{13});
}

TEST_CASE("payloads that are not what they should be change nothing and break nothing") {
  const SessionState state =
      folded({custom(1, "{}"), custom(2, R"({"kind":7})"),
              entry(3, 0, type::redaction, R"({"targetEntryId":"x"})"),
              entry(4, 0, type::message, R"({"role":"robot"})"), entry(5, 4, "hologram", "{}")});

  CHECK(state.entries == 5);
  CHECK(state.messages == 0);
  CHECK(state.redacted.empty());
  CHECK(state.head == Id{5});
}
