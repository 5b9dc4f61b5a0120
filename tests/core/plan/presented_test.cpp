#include "core/plan/presented.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein;
using namespace skein::plan;
using Verdict = model::PlanReview::Verdict;

namespace {

std::string text_of(const model::ToolOutcome& outcome) {
  return std::get<model::Text>(outcome.content.at(0)).text;
}

const model::Plan sample{"", "# Parse dates\n\n1. write **tests**\n2. parse\n   1. not this\n"};

}  // namespace

TEST_CASE("a plan that was only presented is found in the call") {
  model::Message message{.role = model::Role::assistant};
  message.content.push_back(
      model::ToolUse{"c1", "present_plan", R"({"plan":"1. a\n","title":"T"})"});
  CHECK(presented_in(model::message_entry(message)) == model::Plan{"T", "1. a\n"});
  message.role = model::Role::user;
  CHECK_FALSE(presented_in(model::message_entry(message)));
  CHECK_FALSE(presented_in(model::message_entry(model::user_message("present_plan"))));
}

TEST_CASE("the steps of a plan are its numbered items and boxes at the top, outside of code") {
  CHECK(todo_lines(steps_of("Intro\n1. a\n2) b\n- remark\n- [ ] c\n* [x] d\n  3. inner\n"
                            "```\n4. code\n```\n1.no\n12345. no\n")) ==
        "[ ] a\n[ ] b\n[ ] c\n[x] d\n");
  CHECK(steps_of("no steps at all").empty());
}

TEST_CASE("a plan is called by its title, its first heading or its first line") {
  CHECK(title_of({"Dates", "x"}) == "Dates");
  CHECK(title_of(sample) == "Parse dates");
  CHECK(title_of({"", "\n\n**Do it**\n"}) == "Do it");
  CHECK(title_of({"a\nb", ""}) == "a b");
}

TEST_CASE("an approved plan ends plan mode, names the session and becomes the list") {
  const model::ToolOutcome outcome = outcome_of(sample, {Verdict::carry_out, sample.text});
  CHECK(outcome.decided.mode == "default");
  CHECK(outcome.decided.title == "Parse dates");
  CHECK_FALSE(outcome.decided.ends_turn);
  CHECK(text_of(outcome) == "approved. Plan mode is over: carry the plan out now.");
  model::Entry entry{
      .type = std::string(model::type::message), .payload = "{}", .meta = outcome.meta};
  CHECK(approved_in(entry) == model::Plan{"Parse dates", sample.text});
  CHECK(todo_lines(todo_on(std::vector{entry}, {})) == "[ ] write tests\n[ ] parse\n");
  CHECK(outcome_of(sample, {Verdict::accept_edits, "x"}).decided.mode == "acceptEdits");
}

TEST_CASE("a plan that the user changed is told as they left it") {
  const model::ToolOutcome outcome = outcome_of(sample, {Verdict::carry_out, "1. only this"});
  CHECK(text_of(outcome).find("1. only this") != std::string::npos);
}

TEST_CASE("a plan that is not wanted yet changes nothing, and without a word the turn ends") {
  const model::ToolOutcome silent = outcome_of(sample, {});
  CHECK(silent.decided.ends_turn == model::Stop::stop);
  CHECK(silent.decided.mode == "");
  CHECK(silent.meta == "");
  const model::ToolOutcome word = outcome_of(sample, {Verdict::not_yet, "smaller steps"});
  CHECK_FALSE(word.decided.ends_turn);
  CHECK(text_of(word).find("smaller steps") != std::string::npos);
}

TEST_CASE("a fresh start has the plan for its prompt") {
  const model::ToolOutcome outcome = outcome_of(sample, {Verdict::fresh, sample.text});
  CHECK(outcome.decided.ends_turn == model::Stop::stop);
  CHECK(outcome.decided.mode == "default");
  CHECK(outcome.decided.new_branch_prompt.find(sample.text) != std::string::npos);
}

TEST_CASE("questions are read in our words and in those of others, within limits") {
  const ReadInquiries read = read_inquiries(
      R"({"questions":[{"question":" Which? ","header":"Kind","options":[{"label":"a","description":"first"},"b"],"multiSelect":true}]})");
  CHECK(read.complaint == "");
  REQUIRE(read.questions.size() == 1);
  CHECK(read.questions.front() ==
        model::Inquiry{"Which?", "Kind", {{"a", "first"}, {"b", ""}}, true});
  CHECK(answer_line(read.questions.front(), "a") == "Which?\n→ a\n");
  for (const char* wrong :
       {"{}", R"({"questions":[]})", R"({"questions":[{"question":"?","options":["a"]}]})",
        R"({"questions":[{"question":"?","options":["a","b","c","d","e"]}]})",
        R"({"questions":[{"question":"","options":["a","b"]}]})",
        R"({"questions":[{"question":"?","options":["a",""]}]})", R"({"questions":[1,2,3,4,5]})"}) {
    CAPTURE(wrong);
    CHECK(read_inquiries(wrong).complaint != "");
  }
}
