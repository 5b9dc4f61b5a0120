// Real and made-up files of other agents, counted. They are not part of the repository: without
// SKEIN_SAMPLES, which names the folder they lie in, nothing is compared.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>

#include "core/text/text.h"
#include "tests/support/collected_import.h"
#include "tests/support/temp_dir.h"

using namespace skein;

namespace {

struct Row {
  const char* file;
  int sessions, prompts, answers, calls, results, contexts;
};

const Row rows[] = {
    {"claude-code/cclog_dag_compact_after_rewind.jsonl", 1, 5, 5, 0, 0, 0},
    {"claude-code/cclog_edge_cases.jsonl", 1, 4, 4, 3, 1, 3},
    {"claude-code/cclog_representative_messages.jsonl", 1, 4, 5, 2, 2, 0},
    {"claude-code/agent-sessions_small.jsonl", 1, 10, 9, 3, 2, 35},
    {"2026/agent-sessions/claude/small.jsonl", 1, 10, 9, 3, 2, 35},
    {"2026/agent-sessions/claude/subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl", 2, 2, 2, 2,
     1, 1},
    {"codex/agentsview_function_calls.jsonl", 1, 1, 1, 2, 0, 0},
    {"codex/agentsview_standard_session.jsonl", 1, 1, 1, 0, 0, 0},
    {"codex/cclog_malformed_rollout-66666666.jsonl", 1, 1, 0, 0, 0, 0},
    {"codex/cclog_rollout-2026-01-02T03-04-05-11111111-1111-4111-8111-111111111111.jsonl", 1, 1, 4,
     3, 3, 0},
    {"codex/agent-sessions_small.jsonl", 1, 1, 10, 8, 7, 3},
    {"2026/agent-sessions/codex/small.jsonl", 1, 1, 10, 8, 7, 3},
    {"2026/real/codex-0.166.0/"
     "rollout-2026-11-15T20-11-06-01a1e0d5-be5a-78d2-b85a-f5c5b8c7ae99.jsonl",
     1, 3, 5, 2, 2, 2},
    {"2026/real/codex-0.166.0/"
     "rollout-2026-11-15T20-11-08-01a1e0d5-c660-7c32-9d4a-fbb4eadadf26.jsonl",
     1, 4, 6, 2, 2, 2},
    {"2026/agent-sessions/droid/session_store_small.jsonl", 1, 1, 1, 1, 1, 0},
    {"2026/agent-sessions/droid/stream_json_small.jsonl", 1, 1, 2, 1, 1, 0},
    {"2026/agent-sessions/cursor/small.jsonl", 1, 2, 2, 1, 1, 0},
    {"2026/agent-sessions/cursor/subagent/parent.jsonl", 1, 1, 1, 1, 1, 0},
    {"2026/agent-sessions/cursor/subagent/subagents/child.jsonl", 1, 1, 1, 0, 0, 0},
};

}  // namespace

TEST_CASE("samples of other agents have the prompts, answers, calls and results they have") {
  const std::string folder = test::foreign_samples();
  if (folder.empty()) {
    MESSAGE("skipped: SKEIN_SAMPLES names no folder of samples");
    return;
  }
  for (const Row& row : rows) {
    CAPTURE(row.file);
    const test::CollectedImport import = test::collect_file(folder + "/" + row.file);
    int prompts = 0, answers = 0, calls = 0, results = 0, contexts = 0;
    for (const auto& session : import.sessions) {
      prompts += session.prompts();
      answers += session.answers();
      calls += session.calls();
      results += session.results();
      contexts += session.contexts();
    }
    CHECK(static_cast<int>(import.sessions.size()) == row.sessions);
    CHECK(prompts == row.prompts);
    CHECK(answers == row.answers);
    CHECK(calls == row.calls);
    CHECK(results == row.results);
    CHECK(contexts == row.contexts);
    for (const std::string& fault : import.faults) CHECK_MESSAGE(false, fault);
    CHECK(test::ids_of(import) == test::ids_of(test::collect_file(folder + "/" + row.file)));
  }
}

TEST_CASE(
    "samples that are cut have no ids that the whole ones lack, except of what is unfinished") {
  const std::string folder = test::foreign_samples();
  if (folder.empty()) {
    MESSAGE("skipped: SKEIN_SAMPLES names no folder of samples");
    return;
  }
  for (const Row& row : rows) {
    CAPTURE(row.file);
    const std::string path = folder + "/" + row.file;
    const std::string bytes = test::read_file(path);
    const std::set<std::string> all = test::ids_of(test::collect_file(path));
    const auto source = exchange::importers::SourceFile::of_bytes(path, bytes);
    const std::string_view format = exchange::importers::format_of(source)->name;
    for (std::size_t end = bytes.find('\n'); end != std::string::npos;
         end = bytes.find('\n', end + 1))
      for (const std::string& id :
           test::ids_of(test::collect_bytes(path, bytes.substr(0, end + 1), format)))
        if (id.find('+') == std::string::npos) CHECK_MESSAGE(all.contains(id), id);
  }
}
