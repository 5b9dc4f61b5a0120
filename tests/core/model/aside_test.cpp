#include "core/model/entry.h"

#include <doctest/doctest.h>

#include "core/model/state.h"

using namespace skein;
using namespace skein::model;

TEST_CASE("what was asked beside a conversation is read as it was written") {
  const Entry entry = aside_entry({.question = "why \"so\"?",
                                   .answer = "because",
                                   .provider = "acme",
                                   .model = "m",
                                   .usage = Usage{.input = 40, .output = 2},
                                   .duration_ms = 1500});
  CHECK(entry.type == type::custom);
  CHECK(is_marginal(entry.type));
  const auto read = aside_of(entry);
  REQUIRE(read);
  CHECK(read->question == "why \"so\"?");
  CHECK(read->answer == "because");
  CHECK(read->model == "m");
  CHECK(read->usage == Usage{.input = 40, .output = 2});
  CHECK(read->duration_ms == 1500);
  CHECK(preview(entry, 60) == "why \"so\"?");
}

TEST_CASE("other entries are none") {
  CHECK_FALSE(aside_of(make_entry(type::custom, R"({"kind":"title","text":"x"})")));
  CHECK_FALSE(aside_of(message_entry(user_message("aside"))));
  CHECK_FALSE(read_aside("no json"));
}

TEST_CASE("it moves no head, is no message, and its tokens count") {
  SessionState state;
  const Entry said = message_entry(user_message("hello"));
  fold(state, facts_of(said, 1));
  Entry aside = aside_entry({.question = "why?",
                             .answer = "so",
                             .provider = "acme",
                             .model = "m",
                             .usage = Usage{.input = 40, .output = 2},
                             .duration_ms = 7});
  aside.parent = said.id;
  fold(state, facts_of(aside, 2));
  CHECK(state.head == said.id);
  CHECK(state.leaves.size() == 1);
  CHECK(state.messages == 1);
  CHECK(state.usage.at("acme/m").input == 40);
  CHECK(state.duration_ms == 7);
}
