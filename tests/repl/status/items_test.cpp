#include "repl/status/status_line.h"

#include <doctest/doctest.h>

#include "repl/layout/width.h"

using namespace skein;
using namespace skein::status;
using Items = std::vector<std::string>;

namespace {

StatusFacts known_facts() {
  return {.title = "fix the lexer",
          .folder = "/srv/parser",
          .git = "main",
          .model = {.provider = "anthropic", .model = "opus"},
          .window = 200'000,
          .last = model::Usage{.input = 6'000, .output = 1'000},
          .all = {.input = 6'000, .output = 1'000},
          .cost = session::Cost{.dollars = 0.25},
          .branches = 3,
          .branch = 2};
}

}  // namespace

TEST_CASE("the items of a line stand in their order, and what does not fit is left out") {
  const StatusFacts facts = known_facts();
  const Items usual = usual_items();
  CHECK(items_text(usual, facts, 79) == "context 4% · branch 2 of 3 · git main · /srv/parser");
  CHECK(items_text(usual, facts, 39) == "context 4% · branch 2 of 3 · git main");
  CHECK(items_text(usual, facts, 3).empty());
  for (std::size_t columns = 0; columns < 80; ++columns)
    CHECK(layout::display_width(items_text(usual, facts, columns)) <= columns);
  CHECK(items_text(Items{"cwd", "model", "cost"}, facts, 79) == "/srv/parser · opus · $0.25");
  CHECK(items_text(Items{"mode", "thinking", "title", "tokens"}, facts, 79) ==
        "default · thinking off · fix the lexer · 6.0k in 1.0k out");
  CHECK(items_text(Items{}, facts, 79).empty());
  CHECK(items_text(Items{"cache"}, facts, 79).empty());  // it may have none
  StatusFacts cached = facts;
  cached.last = model::Usage{.input = 1'000, .cache_read = 9'000};
  CHECK(items_text(Items{"cache"}, cached, 79) == "cached 90%");
}

TEST_CASE("what is not known is not shown") {
  const StatusFacts nothing{.folder = "/srv/parser",
                            .model = {.provider = "offline", .model = "demo"}};
  CHECK(items_text(usual_items(), nothing, 79) == "/srv/parser");
  CHECK(items_text(Items{"model", "cost", "git"}, nothing, 79) == "demo");
  StatusFacts facts = known_facts();
  facts.window = 0;
  facts.branches = 1;
  facts.cost = session::Cost{.dollars = 0.25, .at_least = true};
  CHECK(items_text(usual_items(), facts, 79) == "git main · /srv/parser");
  CHECK(items_text(Items{"context", "cost"}, facts, 79) == "at least $0.25");
}

TEST_CASE("names in the line cannot drive the terminal") {
  StatusFacts facts = known_facts();
  facts.git = "a\033]0;owned\a\nb";
  CHECK(items_text(Items{"git"}, facts, 79).find_first_of("\033\a\n") == std::string::npos);
}
