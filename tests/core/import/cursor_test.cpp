#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include "core/import/formats.h"
#include "tests/support/collected_import.h"
#include "tests/support/temp_dir.h"

using namespace skein;
namespace fs = std::filesystem;

namespace {

const std::string talk =
    R"({"role":"user","message":{"content":[{"type":"text","text":"<attached>f</attached>\n)"
    R"(<user_query>\nlist\n</user_query>"}]}})"
    "\n"
    R"({"role":"assistant","message":{"content":[{"type":"text","text":"so"},)"
    R"({"type":"tool_use","name":"Bash","input":{"command":"ls"}},)"
    R"({"type":"tool_use","name":"Bash","input":{"command":"ls"}}]}})"
    "\n"
    R"({"role":"user","message":{"content":[{"type":"text","text":"again"}]}})"
    "\n"
    R"({"role":"user","message":{"content":[{"type":"text","text":"again"}]}})"
    "\n"
    R"({"type":"turn_ended","status":"success"})"
    "\n";

test::CollectedImport read(const std::string& bytes) {
  test::CollectedImport import = test::collect_bytes("/x/t1.jsonl", bytes, {});
  for (const std::string& fault : import.faults) FAIL_CHECK(fault);
  return import;
}

}  // namespace

TEST_CASE("Cursor does not keep results, which is said in their place") {
  const test::CollectedImport import = read(talk);
  const test::CollectedSession& only = import.sessions[0];
  CHECK(only.session.id == "t1");
  CHECK(only.path() ==
        "user: list\nassistant: so [Bash] [Bash]\n"
        "tool: [not recorded][not recorded]\nuser: again\nuser: again\n");
  CHECK(only.failures() == 0);
  CHECK(only.contexts() == 1);
  CHECK(import.losses.empty());
}

TEST_CASE("without ids of its own, a line of Cursor's has one by its place and what it says") {
  const std::set<std::string> all = test::ids_of(read(talk));
  CHECK(all.size() == 6);
  for (std::size_t end = talk.find('\n'); end != std::string::npos; end = talk.find('\n', end + 1))
    for (const std::string& id : test::ids_of(read(talk.substr(0, end + 1))))
      CHECK(all.contains(id));
}

TEST_CASE("Cursor's sub-agents are sessions of their own") {
  const test::TempDir folder;
  const fs::path main = folder.path() / "t1" / "t1.jsonl";
  const fs::path agent = folder.path() / "t1" / "subagents" / "a1.jsonl";
  fs::create_directories(agent.parent_path());
  test::write_file(main, talk);
  test::write_file(agent, talk);
  const test::CollectedImport import = test::collect_file(main.string());
  REQUIRE(import.sessions.size() == 2);
  CHECK(import.sessions[1].session.id == "t1/a1");
  CHECK(import.sessions[1].session.parent == "t1");
  CHECK(import.sessions[1].session.spawned);
  CHECK(test::collect_file(agent.string()).sessions[0].session.id == "t1/a1");
}

TEST_CASE("the folder of Cursor's project is found by its name, if it is there") {
  const test::TempDir folder;
  const fs::path work = fs::canonical(folder.path()) / "my.own_app";
  fs::create_directories(work);
  std::string project = work.string().substr(1);
  for (char& c : project)
    if (c == '/' || c == '.' || c == '_') c = '-';
  for (const std::string& name : {project, std::string("nowhere-at-all")}) {
    const fs::path file = folder.path() / name / "agent-transcripts" / "t1" / "t1.jsonl";
    fs::create_directories(file.parent_path());
    test::write_file(file, talk);
    CHECK(test::collect_file(file.string()).sessions[0].session.cwd ==
          (name == project ? work.string() : std::string{}));
  }
}
