#include "repl/pick/ask.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::pick;
using Verdict = model::PlanReview::Verdict;

TEST_CASE("a line answers with numbers or with words of its own") {
  model::Inquiry one{"Which?", "", {{"red", "warm"}, {"blue", ""}}};
  CHECK(options_text(one).starts_with("1: red (warm)\n2: blue\n"));
  CHECK(answer_in(one, "2") == "blue");
  CHECK(answer_in(one, " 1 ") == "red");
  CHECK(answer_in(one, "3") == "3");
  CHECK(answer_in(one, "green, rather") == "green, rather");
  CHECK(answer_in(one, "1,2") == "1,2");
  CHECK(answer_in(one, "  ") == std::nullopt);
  one.multiple = true;
  CHECK(answer_in(one, "1, 2") == "red, blue");
}

TEST_CASE("a line says what becomes of a plan; what is no choice is a word to the model") {
  const model::Plan plan{"", "1. x"};
  CHECK(review_in(plan, "y").verdict == Verdict::carry_out);
  CHECK(review_in(plan, "Y").text == "1. x");
  CHECK(review_in(plan, "a").verdict == Verdict::accept_edits);
  CHECK(review_in(plan, "f").verdict == Verdict::fresh);
  for (const char* line : {"", "n", "no", "y?", "also test it"}) {
    CAPTURE(line);
    CHECK(review_in(plan, line).verdict == Verdict::not_yet);
  }
  CHECK(review_in(plan, "n smaller steps").text == "smaller steps");
  CHECK(review_in(plan, "also test it").text == "also test it");
  CHECK(review_in(plan, "no").text == "");
}
