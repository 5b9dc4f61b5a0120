#include "core/subagents/definition.h"

#include <doctest/doctest.h>

using namespace skein;
using subagents::delegated, subagents::Definition;

namespace {

const std::vector<Definition> agents{{.name = "explore"}, {.name = "agent-x"}, {.name = "x"}};

std::string task_of(std::string_view prompt, bool is_file = false) {
  const auto found = delegated(prompt, agents, [&](std::string_view) { return is_file; });
  return found ? found->prompt : "";
}

}  // namespace

TEST_CASE("a prompt that begins with an agent's name is handed on to it") {
  const std::string told = task_of("@explore where is the lexer tested?");
  CHECK(told ==
        "Give this task to the agent `explore` with your tool `agent`, and answer with what it "
        "reports:\n\nwhere is the lexer tested?");
  CHECK(task_of("  @agent-explore\nwhere is the lexer tested?\n") == told);
  CHECK(task_of("@agent-x go").find("`agent-x`") != std::string::npos);
  CHECK(task_of("@x go").find("`x`") != std::string::npos);
  CHECK(delegated("@explore it", agents, [](std::string_view) { return false; })->name_end == 8);
}

TEST_CASE("what names no agent, or a file, or no task stays as it was said") {
  for (const char* prompt : {"", "@", "@explore", "@explore  ", "explore it", "see @explore it",
                             "@explorer it", "@agent- it", "@Explore it", "@explore, please"})
    CHECK_MESSAGE(task_of(prompt).empty(), prompt);
  CHECK(task_of("@explore it", true).empty());
}
