#include <doctest/doctest.h>

#include <fstream>

#include "core/text/json.h"
#include "tests/support/stage.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::test;

namespace {

// One call of a standard tool, and the questions that it leads to.
struct Asked {
  Asked(std::string_view tool, Members members, TestWorkspace& bench,
        std::vector<permission::Rule> ask = {})
      : stage("[[{\"call\": {\"id\": \"c\", \"name\": \"" + std::string(tool) +
              "\", \"input\": " + json_of(members) + "}}], \"ok\"]") {
    stage.tools = bench.tools();
    stage.settings.rules.sandboxed = true;
    stage.settings.rules.ask = std::move(ask);
    stage.answer = model::Answer{model::Answer::Choice::no};
    agent::Conversation conversation = stage.conversation();
    stage.turn(conversation, "go");
    for (const std::string& line : lines_of(stage.stored(conversation)))
      if (line.starts_with("result ")) result = line;
  }
  const model::Question& question() const { return stage.questions.at(0); }

  Stage stage;
  std::string result{};
};

void put(const TestWorkspace& bench, const std::string& path, std::string_view text) {
  std::filesystem::create_directories((bench.root() / path).parent_path());
  std::ofstream(bench.root() / path) << text;
}

}  // namespace

TEST_CASE("nothing is asked about an edit that must fail, and the model reads why") {
  TestWorkspace bench;
  put(bench, "src/f", "one\ntwo\n");
  const Asked asked("edit", {{"path", "src/f"}, {"old_text", "ones"}, {"new_text", "x"}}, bench);
  CHECK(asked.stage.questions.empty());
  CHECK(asked.result.find("`old_text` is not in the file") != std::string::npos);
}

TEST_CASE("why an edit fails is said only if the file may be read unasked") {
  TestWorkspace bench;
  put(bench, ".env", "KEY=treasure\n");
  const Asked asked("edit", {{"path", ".env"}, {"old_text", "KEY=x"}, {"new_text", "x"}}, bench,
                    {{"read", ".env"}});
  CHECK(asked.stage.questions.size() == 1);
  CHECK(asked.result.find("treasure") == std::string::npos);
}

TEST_CASE("a question names what the call does and the narrowest rule that is of use") {
  TestWorkspace bench;
  put(bench, "src/f", "one\n");
  put(bench, "top", "one\n");
  using Kind = model::Question::Kind;
  {
    const Asked asked("edit", {{"path", "src/f"}, {"old_text", "one"}, {"new_text", "x"}}, bench);
    CHECK(asked.question().text == "Change src/f?");
    CHECK(asked.question().remember == "edit(src/**)");
    CHECK(asked.question().scope == "all edits in src/");
    CHECK(asked.question().kind == Kind::diff);
  }
  {
    const Asked asked("write", {{"path", "top"}, {"content", "x"}}, bench);
    CHECK(asked.question().text == "Write top?");
    CHECK(asked.question().remember == "write(top)");
    CHECK(asked.question().scope == "all writes of top");
  }
  {
    const Asked asked("bash", {{"command", "make check && git commit -m x"}}, bench);
    CHECK(asked.question().text == "Run this command?");
    CHECK(asked.question().detail == "make check && git commit -m x");
    CHECK(asked.question().kind == Kind::command);
    CHECK(asked.question().request == "run this command");
  }
}
