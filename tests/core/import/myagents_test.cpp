#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <variant>

#include "core/import/formats.h"
#include "core/text/json.h"
#include "tests/support/collected_import.h"
#include "tests/support/temp_dir.h"

using namespace skein;
namespace fs = std::filesystem;

namespace {

test::CollectedImport read(const std::string& bytes, const std::string& path = "/x/s1.jsonl") {
  test::CollectedImport import = test::collect_bytes(path, bytes, {});
  for (const std::string& fault : import.faults) FAIL_CHECK(fault);
  return import;
}
std::string message(const std::string& id, const std::string& role, const std::string& content,
                    const std::string& more = {}) {
  return R"({"id":")" + id + R"(","role":")" + role + R"(","content":)" + json_string(content) +
         R"(,"timestamp":"2026-01-02T03:04:05.000Z")" + more + "}";
}
const std::string blocks =
    R"([{"type":"thinking","thinking":"hm"},{"type":"text","text":"so"},)"
    R"({"type":"tool_use","tool":{"id":"c1","name":"Bash","input":{"command":"ls"},"result":"a"}},)"
    R"({"type":"tool_use","tool":{"id":"c2","name":"Bash","input":{},"result":"b","isError":true}},)"
    R"({"type":"text","text":"done"}])";
const std::string prompt = message("1", "user", "list");
const std::string answer =
    message("2", "assistant", blocks,
            R"(,"usage":{"inputTokens":4,"outputTokens":5,"cacheReadTokens":6,)"
            R"("cacheCreationTokens":7,"model":"claude-x"},"toolCount":2,"durationMs":1500)");

}  // namespace

TEST_CASE("a turn of MyAgents is taken apart into answers and results") {
  for (const bool lean : {true, false}) {
    const test::CollectedImport import =
        lean ? read(prompt + "\n" + answer + "\n")
             : read("{\"messages\":[" + prompt + "," + answer + "]}", "/x/s1.json");
    const test::CollectedSession& only = import.sessions[0];
    CHECK(only.session.id == "s1");
    CHECK(only.path() == "user: list\nassistant: so [Bash] [Bash]\ntool: ab\nassistant: done\n");
    CHECK(only.failures() == 1);
    CHECK(only.usage() == model::Usage{.input = 4, .output = 5, .cache_read = 6, .cache_write = 7});
    const auto& first = std::get<model::Message>(only.entries[1].content);
    CHECK(first.duration_ms == 1500);
    CHECK(first.model == "claude-x");
    CHECK(import.losses.empty());
    CHECK(test::ids_of(import) == std::set<std::string>{"s1 1", "s1 2", "s1 2/results", "s1 2/2"});
  }
}

TEST_CASE("titles of MyAgents stand in the list of its sessions") {
  const test::TempDir folder;
  fs::create_directories(folder / "sessions");
  test::write_file(folder / "sessions/s1.jsonl", prompt + "\n");
  test::write_file(folder / "sessions.json",
                   R"([{"id":"s0","title":"no"},{"id":"s1","title":"yes","agentDir":"/work"}])");
  const test::CollectedImport import = test::collect_file((folder / "sessions/s1.jsonl").string());
  CHECK(import.sessions[0].session.title == "yes");
  CHECK(import.sessions[0].session.cwd == "/work");
}

TEST_CASE("damage to a session of MyAgents costs the damaged line") {
  const test::CollectedImport import = read(prompt + "\n{\"id\":\"x\",\n" + answer);
  CHECK(import.sessions[0].prompts() == 1);
  CHECK(import.sessions[0].answers() == 2);
  CHECK(import.losses.at("damaged lines") == 1);
}
