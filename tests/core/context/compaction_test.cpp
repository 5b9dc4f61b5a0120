#include "core/context/compaction.h"

#include <doctest/doctest.h>

#include "core/context/history.h"
#include "core/model/state.h"
#include "core/text/json.h"
#include "core/tools/tools.h"
#include "tests/support/paths.h"

using namespace skein;
using namespace skein::context;
using namespace skein::test;

namespace {

const std::set<Id> nothing_redacted;
const std::string words(400, 'w');

std::vector<model::Entry> long_talk() {
  std::vector<model::Message> talk;
  for (int i = 0; i < 10; ++i) {
    talk.push_back(model::user_message("question " + std::to_string(i) + " " + words));
    talk.push_back(answers("answer " + std::to_string(i) + " " + words));
  }
  return path_of(talk);
}

}  // namespace

TEST_CASE("the newest turns are kept, from a user's message on") {
  const std::vector<model::Entry> path = long_talk();
  const auto plan = plan_compaction(path, nothing_redacted, 500, tools::tool_table());
  REQUIRE(plan);
  CHECK(plan->first_kept == path[16].id);
  CHECK(plan->earlier.size() == 16);
  CHECK(plan->last_prompt.empty());
  CHECK(plan->tokens_before > 2000);
}

TEST_CASE("a short talk is not worth a summary") {
  CHECK_FALSE(plan_compaction({}, nothing_redacted, 500, tools::tool_table()));
  CHECK_FALSE(plan_compaction(path_of({model::user_message("a")}), nothing_redacted, 500,
                              tools::tool_table()));
  CHECK_FALSE(plan_compaction(path_of({model::user_message("a"), answers("b")}), nothing_redacted,
                              500, tools::tool_table()));
}

TEST_CASE("a turn that is too long is cut between two steps, and its prompt is carried on") {
  std::vector<model::Message> talk{model::user_message("build the house")};
  for (int i = 0; i < 10; ++i) {
    const std::string id = std::to_string(i);
    talk.push_back(answers(words, {{id, "read", R"({"path":"f)" + id + R"("})"}}));
    talk.push_back(result_of(id, words));
  }
  const std::vector<model::Entry> path = path_of(talk);
  const auto plan = plan_compaction(path, nothing_redacted, 500, tools::tool_table());
  REQUIRE(plan);
  CHECK(plan->first_kept == path[17].id);
  CHECK(plan->last_prompt == "build the house");
  CHECK(plan->files_read ==
        std::vector<std::string>{"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"});

  std::vector<model::Entry> after = path;
  follow(after, compaction_entry(*plan, "notes", {}));
  const auto messages = messages_of(after, nothing_redacted);
  REQUIRE(messages.size() == 5);
  CHECK(model::plain_text(messages[0]).find("build the house") != std::string::npos);
  CHECK(model::plain_text(messages[0]).find("Files read: f0, f1") != std::string::npos);
}

TEST_CASE("the second summary carries on the first and its files") {
  std::vector<model::Entry> path = long_talk();
  CompactionPlan first = *plan_compaction(path, nothing_redacted, 500, tools::tool_table());
  first.files_read = {"old", "both"};
  follow(path, compaction_entry(first, "the first notes", {}));
  for (const model::Entry& entry : long_talk()) follow(path, entry);
  follow(path, model::message_entry(answers(
                   "", {{"1", "edit", R"({"path":"new"})"}, {"2", "read", R"({"path":"old"})"}})));
  follow(path, model::message_entry(result_of("1", "ok")));
  follow(path, model::message_entry(result_of("2", "ok")));
  for (const model::Entry& entry : long_talk()) follow(path, entry);

  const auto second = plan_compaction(path, nothing_redacted, 500, tools::tool_table());
  REQUIRE(second);
  CHECK(second->previous == "the first notes");
  CHECK(second->files_read == std::vector<std::string>{"both", "old"});
  CHECK(second->files_changed == std::vector<std::string>{"new"});
  const model::Context request = summary_request(*second, "the tests", 0);
  const std::string text = model::plain_text(request.messages.at(0));
  CHECK(request.messages.size() == 1);
  CHECK(request.tools.empty());
  CHECK(text.starts_with("<notes>\nthe first notes\n</notes>"));
  CHECK(text.ends_with("keep this above all: the tests"));
  CHECK(text.find("question 8") != std::string::npos);
}

TEST_CASE("a request for a summary keeps to its room and shows the newest part") {
  const auto plan = plan_compaction(long_talk(), nothing_redacted, 500, tools::tool_table());
  const std::string text = model::plain_text(summary_request(*plan, "", 800).messages.at(0));
  CHECK(text.size() < 4000);
  CHECK(text.find("(earlier messages are not shown)") != std::string::npos);
  CHECK(text.find("question 0") == std::string::npos);
  CHECK(text.find("answer 7") != std::string::npos);
}

TEST_CASE("what is redacted does not reach a summary") {
  const std::vector<model::Entry> path = long_talk();
  const auto plan = plan_compaction(path, {path[0].id}, 500, tools::tool_table());
  CHECK(model::plain_text(summary_request(*plan, "", 0).messages[0]).find("question 0") ==
        std::string::npos);
  CHECK(extracted_summary(*plan).find("question 0") == std::string::npos);
}

TEST_CASE("a summary without a model tells what was asked and answered") {
  const auto plan = plan_compaction(
      path_of({model::user_message("one"), answers("1 " + words), model::user_message("two"),
               answers("2 " + words), model::user_message("three"), answers("3")}),
      nothing_redacted, 500, tools::tool_table());
  REQUIRE(plan);
  const std::string summary = extracted_summary(*plan);
  CHECK(summary.starts_with("- asked: one\n  answered: 1 ww"));
  CHECK(summary.find("- asked: two\n  answered: 2 ww") != std::string::npos);
}

TEST_CASE("a summary without a model does not grow without end") {
  std::vector<model::Entry> path;
  std::size_t longest = 0;
  for (int round = 0; round < 12; ++round) {
    for (const model::Entry& entry : long_talk()) follow(path, entry);
    const auto plan = plan_compaction(path, nothing_redacted, 500, tools::tool_table());
    REQUIRE(plan);
    const std::string summary = extracted_summary(*plan);
    longest = std::max(longest, summary.size());
    CHECK(summary.find("question 7") != std::string::npos);
    follow(path, compaction_entry(*plan, summary, {}));
  }
  CHECK(longest < 62 * 250);
}

TEST_CASE("the entry says what is kept, how much there was and what it cost") {
  const auto plan = plan_compaction(long_talk(), nothing_redacted, 500, tools::tool_table());
  const model::Entry entry = compaction_entry(
      *plan, "notes", {{"anthropic", "claude"}, model::Usage{.input = 7, .output = 3}, 1.5});
  CHECK(entry.type == model::type::compaction_summary);
  CHECK(first_kept(entry) == plan->first_kept);
  const Json payload = *parse_json(entry.payload);
  CHECK(string_at(payload, "summary") == "notes");
  CHECK(int_at(payload, "tokensBefore") == plan->tokens_before);
  CHECK(at(payload, "tokensPerGuess") == 1.5);
  model::SessionState state;
  model::fold(state, model::facts_of(entry, 1));
  CHECK(state.usage.at("anthropic/claude") == model::Usage{.input = 7, .output = 3});
}

TEST_CASE("a cut keeps half of the room, the summary before it, and the last prompt") {
  std::vector<model::Entry> path;
  for (int i = 0; i < 20; ++i) {
    follow(path, model::message_entry(model::user_message(std::string(400, 'q'))));
    follow(path, model::message_entry(answers(std::string(400, 'a'))));
  }
  const auto tokens = [&] { return tokens_of(history_of(path, nothing_redacted).said); };
  REQUIRE(tokens() > 3000);
  auto plan = plan_cut(path, nothing_redacted, 3000, {});
  REQUIRE(plan);
  CHECK(plan->earlier.size() > 20);
  CHECK(plan->result_bytes == 0);
  follow(path, compaction_entry(*plan, "the notes", {}));
  CHECK(tokens() < 1550);  // with the summary
  CHECK(tokens() > 1000);

  // One turn that grows beyond the room.
  follow(path, model::message_entry(model::user_message("go")));
  for (int i = 0; i < 20; ++i) {
    const std::string id = "c" + std::to_string(i);
    follow(path, model::message_entry(answers(std::string(400, 'a'), {{id, "read"}})));
    follow(path, model::message_entry(result_of(id, std::string(400, 'r'))));
  }
  plan = plan_cut(path, nothing_redacted, 3000, {});
  REQUIRE(plan);
  CHECK(plan->previous == "the notes");
  CHECK(plan->last_prompt == "go");
  follow(path, compaction_entry(*plan, plan->previous, {}));
  const std::vector<model::Message> kept = messages_of(path, nothing_redacted);
  CHECK(model::plain_text(kept.front()) ==
        "Summary of the conversation so far:\n\nthe notes\n\n"
        "The user's last message, which is still being worked on:\ngo");
  CHECK(kept[1].role == model::Role::assistant);
  CHECK(tokens() <= 1500);
  CHECK_FALSE(plan_cut(path, nothing_redacted, 3000, {}));  // there is nothing to gain
}

TEST_CASE("where leaving out is not enough, results become shorter, and stay so") {
  std::vector<model::Entry> path;
  follow(path, model::message_entry(model::user_message("go")));
  follow(path, model::message_entry(answers("", {{"c1", "read"}})));
  follow(path, model::message_entry(result_of("c1", std::string(40'000, 'r'))));
  auto plan = plan_cut(path, nothing_redacted, 3000, {});
  REQUIRE(plan);
  CHECK(plan->result_bytes == 8192);
  CHECK(plan->shortened == 1);
  follow(path, compaction_entry(*plan, "", {}));
  CHECK(tokens_of(history_of(path, nothing_redacted).said) <= 3000);
  CHECK_FALSE(plan_cut(path, nothing_redacted, 3000, {}));

  const std::vector<model::Message> sent = messages_of(path, nothing_redacted);
  follow(path, model::message_entry(answers(std::string(9000, 'a'))));
  follow(path, model::message_entry(model::user_message("and")));
  const std::vector<model::Message> longer = messages_of(path, nothing_redacted);
  CHECK(std::equal(sent.begin(), sent.end(), longer.begin()));
}
