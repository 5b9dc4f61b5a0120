#include "core/model/entry.h"
#include "core/model/tree.h"

#include <doctest/doctest.h>

#include "core/model/tool.h"

using namespace skein;
using namespace skein::model;

namespace {

Entry result(const std::string& text, bool is_error) {
  Message message{.role = Role::tool};
  message.content = {ToolResult{"c1", {Text{text}}, is_error, {}}};
  return message_entry(message);
}

}  // namespace

TEST_CASE("what the user did not allow was refused, it has not failed") {
  const Entry refused = result(std::string(refusal_opening) + ": not there", true);
  CHECK(kind_of(refused) == "tool refused");
  CHECK(preview(refused, 60) == "refused: not there");
  CHECK(words_of(refused) == "○ refused: not there");
  CHECK_FALSE(is_failed_result(refused));
  CHECK(preview(result(std::string(refusal_opening), true), 60) == "refused");
}

TEST_CASE("what failed says so, and what a file says of a refusal is none") {
  const Entry failed = result("no such file", true);
  CHECK(kind_of(failed) == "tool failed");
  CHECK(preview(failed, 60) == "failed: no such file");
  CHECK(words_of(failed) == "✗ failed:\nno such file");
  CHECK(is_failed_result(failed));
  CHECK(kind_of(result(std::string(refusal_opening), false)) == "tool");
}

TEST_CASE("an entry that is no message has a name and words without JSON") {
  struct {
    std::string_view type, payload;
    std::string kind, words;
  } const cases[] = {
      {type::model_change, R"({"provider":"offline","model":"demo"})", "model", "offline/demo"},
      {type::thinking_level_change, R"({"level":"high"})", "thinking level", "high"},
      {type::compaction_summary, R"({"summary":"one\ntwo"})", "summary", "one\ntwo"},
      {type::compaction_summary, R"({"summary":""})", "summary", "(older messages were left out)"},
      {type::custom, R"({"kind":"title","text":"fix it"})", "title", "fix it"},
      {type::custom, R"({"text":"fix it","kind":"title"})", "title", "fix it"},
      {type::custom, R"({"kind":"aside","question":"why?","answer":"so"})", "side question",
       "why?\nso"},
      {type::custom, R"({"kind":"permissions","rules":["write","!bash"]})", "permission rules",
       "write, !bash"},
      {type::custom, R"({"kind":"label","entryId":"0","text":""})", "name of a branch", ""},
      {type::custom, R"({"redacted":true})", "redacted", ""},
      {"book_mark", R"({"n":1})", "book mark", ""},
  };
  for (const auto& each : cases) {
    CAPTURE(std::string(each.payload));
    const Entry entry = make_entry(each.type, JsonText(each.payload));
    CHECK(kind_of(entry) == each.kind);
    CHECK(words_of(entry) == each.words);
    CHECK(is_for_readers(entry.type, entry.payload));
  }
  CHECK_FALSE(is_for_readers(type::custom, R"({"kind":"checkpoint","phase":"before"},"meta":{})"));
  CHECK_FALSE(is_for_readers(type::runtime_init, R"({"system":"x"})"));
}

TEST_CASE("a call is shown without the marks of JSON") {
  Message message{.role = Role::assistant};
  for (const char* input : {R"({"command":"ls \"a b\""})", R"({"path":"a","lines":[1,2]})", "{}"})
    message.content.emplace_back(ToolUse{"c", "tool", input});
  CHECK(words_of(message_entry(message)) ==
        "→ tool ls \"a b\"\n→ tool path: a, lines: 1, 2\n→ tool ");
}
