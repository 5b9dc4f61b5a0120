// Session files of pi.
#include <doctest/doctest.h>

#include <set>

#include "core/model/payloads.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "tests/support/exported_sample.h"

using namespace skein;
using namespace skein::exporters;
using skein::test::sample_talk;
using skein::test::SampleSession;
using skein::test::written;
namespace payload = skein::model::payload;

namespace {

std::vector<Json> lines_of(const ExportedSession& session) {
  const std::string text = written("pi", session);
  std::vector<Json> out;
  for (const std::string_view line : split(text, '\n')) {
    const auto json = parse_json(line);
    REQUIRE(json);
    out.push_back(*json);
  }
  return out;
}

// What pi's page on its format asks of every file.
void check_form(const std::vector<Json>& lines) {
  REQUIRE(!lines.empty());
  CHECK(lines[0]["type"] == "session");
  CHECK(lines[0]["version"] == 3);
  CHECK(string_at(lines[0], "id").size() == 36);
  std::set<std::string> ids;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CAPTURE(dump(lines[i]));
    const std::string id = string_at(lines[i], "id");
    CHECK(id.size() >= 8);
    CHECK((lines[i]["parentId"].is_null() || ids.contains(string_at(lines[i], "parentId"))));
    CHECK(ids.insert(id).second);
    CHECK(ms_from_utc(string_at(lines[i], "timestamp")));
    if (lines[i]["type"] != "message") continue;
    const Json& message = lines[i]["message"];
    CHECK(message["timestamp"].is_number_integer());
    if (message["role"] == "assistant")
      for (const char* member : {"content", "api", "provider", "model", "usage", "stopReason"})
        CHECK(message.contains(member));
    if (message["role"] == "toolResult")
      for (const char* member : {"toolCallId", "toolName", "content", "isError"})
        CHECK(message.contains(member));
  }
}

}  // namespace

TEST_CASE("a session becomes one of pi, with changes of model on the path") {
  const SampleSession talk = sample_talk();
  const std::vector<Json> lines = lines_of(talk.exported());
  check_form(lines);
  REQUIRE(lines.size() == 8);
  CHECK(lines[1]["message"]["sections"] == Json{{"prompt", "be brief"}});
  CHECK(lines[1]["message"]["toolsAdded"][0]["parameters"] == Json{{"type", "object"}});
  CHECK(lines[2]["message"]["content"][1]["mimeType"] == "image/png");
  const Json& answer = lines[3]["message"];
  CHECK(answer["api"] == "anthropic-messages");
  CHECK(answer["stopReason"] == "toolUse");
  CHECK(answer["content"][0]["thinkingSignature"] == "signed");
  CHECK(answer["content"][3]["arguments"] == Json{{"path", "a"}});
  CHECK(answer["usage"]["totalTokens"] == 20);
  CHECK(answer["usage"]["cost"]["total"] == 0);
  CHECK(lines[4]["message"]["toolName"] == "read");
  CHECK(lines[5]["message"]["isError"] == true);
  CHECK(lines[6]["type"] == "model_change");
  CHECK(lines[6]["modelId"] == "gemini");
  CHECK(lines[7]["parentId"] == lines[6]["id"]);
}

TEST_CASE("summaries, labels and titles have their lines in pi") {
  SampleSession session;
  session.add(model::make_entry(payload::ThinkingLevelChange{"high"}));
  const Id first = session.add(model::user_message("one")).id;
  session.add({.role = model::Role::assistant, .content = {model::Text{"two"}}});
  session.add(model::make_entry(payload::CompactionSummary{.summary = "short",
                                                           .first_kept = first,
                                                           .tokens_before = 99,
                                                           .files_read = {"a"},
                                                           .usage = model::Usage{1, 2, 0, 0, 0}}));
  session.add(model::make_entry(payload::CompactionSummary{.summary = "none kept"}));
  session.add(model::make_entry(payload::BranchSummary{Id{1}, first, "left"}));
  session.add(model::make_entry(payload::Label{first, "here"}));
  session.add(model::make_entry(payload::Title{"named"}));
  session.add(model::make_entry(payload::Head{first}));
  const std::vector<Json> lines = lines_of(session.exported());
  check_form(lines);
  REQUIRE(lines.size() == 9);
  CHECK(lines[1]["thinkingLevel"] == "high");
  CHECK(lines[2]["parentId"] == lines[1]["id"]);
  CHECK(lines[4]["type"] == "compaction");
  CHECK(lines[4]["firstKeptEntryId"] == lines[2]["id"]);
  CHECK(lines[4]["tokensBefore"] == 99);
  CHECK(lines[4]["usage"]["output"] == 2);
  CHECK(lines[5]["firstKeptEntryId"] == lines[5]["id"]);
  CHECK(lines[6]["type"] == "branch_summary");
  CHECK(lines[6]["fromId"] == lines[2]["id"]);
  CHECK(lines[7] == Json{{"type", "label"},
                         {"id", lines[7]["id"]},
                         {"parentId", lines[6]["id"]},
                         {"timestamp", lines[7]["timestamp"]},
                         {"targetId", lines[2]["id"]},
                         {"label", "here"}});
  CHECK(lines[8]["name"] == "named");
}

TEST_CASE("ids that pi gave come back, and no other entry gets one of them") {
  SampleSession session;
  session.add(model::user_message("ours"));
  session.add(model::user_message("theirs")).meta = R"({"import":{"from":"pi","id":"00000001"}})";
  session.add(model::user_message("of another")).meta =
      R"({"import":{"from":"codex","id":"00000009"}})";
  const std::vector<Json> lines = lines_of(session.exported());
  check_form(lines);
  // Ours would have been 00000001.
  CHECK(lines[1]["id"] != "00000001");
  CHECK(lines[2]["id"] == "00000001");
  CHECK(lines[3]["id"] == "00000003");
}

TEST_CASE("several results of one message are several entries, one after the other") {
  SampleSession session;
  session.add(model::user_message("go"));
  session.add({.role = model::Role::assistant,
               .content = {model::ToolUse{"a", "bash"}, model::ToolUse{"b", "read"}}});
  session.add(
      {.role = model::Role::tool,
       .content = {model::ToolResult{.tool_use_id = "a"}, model::ToolResult{.tool_use_id = "b"}}});
  session.add(model::user_message("on"));
  const std::vector<Json> lines = lines_of(session.exported());
  check_form(lines);
  REQUIRE(lines.size() == 6);
  CHECK(lines[4]["parentId"] == lines[3]["id"]);
  CHECK(lines[4]["message"]["toolName"] == "read");
  CHECK(lines[5]["parentId"] == lines[4]["id"]);
}

TEST_CASE("a tree's last line leads to where the session stands") {
  SampleSession session;
  const Id first = session.add(model::user_message("one")).id;
  const Id way = session.add(model::user_message("one way")).id;
  model::Entry other = model::message_entry(model::user_message("another"));
  other.parent = first;
  session.add(other);
  ExportedSession exported = session.exported();
  exported.whole_tree = true;
  CHECK(lines_of(exported).size() == 4);
  exported.leaf = way;
  const std::vector<Json> lines = lines_of(exported);
  check_form(lines);
  REQUIRE(lines.size() == 5);
  CHECK(lines[3]["parentId"] == lines[1]["id"]);
  CHECK(lines[4]["parentId"] == lines[2]["id"]);
}
