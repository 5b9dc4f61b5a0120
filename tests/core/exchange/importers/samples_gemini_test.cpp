// Sessions other programs really wrote. They are not part of the source: the tests run where
// SKEIN_SAMPLES names a folder with fixtures/ in it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "tests/support/collected_import.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

struct Sample {
  const char* file;
  const char* format;
  int sessions, prompts, answers, calls, results, contexts;
};

const Sample samples[] = {
    {"2026/real/gemini-cli-0.61.0/session-2026-11-15T20-12-e928856e.jsonl", "gemini", 1, 2, 3, 1, 1,
     1},
    {"2026/agent-sessions/gemini/jsonl_v040.jsonl", "gemini", 1, 1, 2, 1, 1, 0},
    {"2026/agent-sessions/gemini/small.json", "gemini", 1, 1, 1, 0, 0, 0},
    {"2026/real/qwen-code-0.24.4/b6da97fd-684e-4ddc-b57b-9010971b99dc.jsonl", "qwen", 1, 2, 3, 1, 1,
     0},
    {"2026/agent-sessions/qwen/019f0000-0000-7000-8000-000000000001.jsonl", "qwen", 1, 1, 2, 1, 1,
     2},
    {"2026/agent-sessions/qwen/019f0000-0000-7000-8000-000000000002.jsonl", "qwen", 1, 1, 0, 0, 0,
     0},
    {"2026/agent-sessions/qwen/019f0000000070008000000000000003.jsonl", "qwen", 1, 1, 0, 0, 0, 0},
    {"2026/agent-sessions/qwen/019f0000-0000-7000-8000-000000000004.jsonl", "qwen", 1, 2, 2, 1, 0,
     0},
    {"2026/agent-sessions/qwen/019f0000-0000-7000-8000-000000000005.jsonl", "qwen", 1, 1, 1, 0, 0,
     0},
    {"2026/agent-sessions/qwen/system_telemetry.jsonl", "qwen", 1, 0, 1, 1, 1, 0},
    {"2026/agent-sessions/copilot/small.jsonl", "copilot", 2, 2, 5, 4, 4, 2},
    {"2026/agent-sessions/copilot/subdir_v1/aaaabbbb-1111-2222-3333-ccccddddeeee/events.jsonl",
     "copilot", 1, 1, 2, 1, 1, 0},
    {"2026/agent-sessions/kimi/assistant_tools.jsonl", "kimi", 1, 8, 22, 19, 19, 5},
    {"2026/agent-sessions/kimi/small.jsonl", "kimi", 1, 3, 0, 0, 0, 0},
    {"2026/agent-sessions/kimi/subagent_agent-0.jsonl", "kimi", 1, 0, 3, 2, 2, 1},
    {"2026/agent-sessions/grok/chat_history.jsonl", "grok", 1, 2, 3, 2, 2, 2},
    {"2026/agent-sessions/grok/subagent/chat_history.jsonl", "grok", 1, 1, 2, 1, 1, 1},
    {"2026/agent-sessions/hermes/small.json", "hermes", 1, 1, 1, 0, 0, 0},
    {"claw0/mini-claw/transcripts/main_cli_user_eb8cc25e45be.jsonl", "claw0", 1, 3, 5, 4, 4, 0},
    {"claw0/mini-claw/transcripts/main_cli_user_101112_66c86b7e67ef.jsonl", "claw0", 1, 1, 1, 0, 0,
     0},
    {"claw0/claw0/agents/claw0/sessions/b5dc2b5f945b.jsonl", "claw0", 1, 2, 3, 2, 2, 0},
};

// Empty: there are none here.
std::filesystem::path fixtures() {
  if (const std::string folder = foreign_samples(); !folder.empty()) return folder;
  MESSAGE("skipped: SKEIN_SAMPLES is not set");
  return {};
}

}  // namespace

TEST_CASE("samples of other programs' sessions are read whole") {
  const std::filesystem::path folder = fixtures();
  if (folder.empty()) return;
  for (const Sample& sample : samples) {
    CAPTURE(sample.file);
    const std::string path = (folder / sample.file).string();
    const CollectedImport read = collect_file(path);
    CHECK(read.faults.empty());
    CHECK(static_cast<int>(read.sessions.size()) == sample.sessions);
    int prompts = 0, answers = 0, calls = 0, results = 0, contexts = 0;
    for (const CollectedSession& session : read.sessions) {
      prompts += session.prompts();
      answers += session.answers();
      calls += session.calls();
      results += session.results();
      contexts += session.contexts();
    }
    CHECK(prompts == sample.prompts);
    CHECK(answers == sample.answers);
    CHECK(calls == sample.calls);
    CHECK(results == sample.results);
    CHECK(contexts == sample.contexts);
    auto file = exchange::importers::SourceFile::open(path);
    const auto* format =
        exchange::importers::format_of(std::get<exchange::importers::SourceFile>(file));
    CHECK(format == exchange::importers::format_named(sample.format));
    const CollectedImport again = collect_file(path);
    REQUIRE(again.sessions.size() == read.sessions.size());
    for (std::size_t i = 0; i < read.sessions.size(); ++i) {
      CHECK(again.sessions[i].session.id == read.sessions[i].session.id);
      REQUIRE(again.sessions[i].entries.size() == read.sessions[i].entries.size());
      for (std::size_t n = 0; n < read.sessions[i].entries.size(); ++n)
        CHECK(again.sessions[i].entries[n].id == read.sessions[i].entries[n].id);
    }
  }
}

TEST_CASE("samples of Gemini's and Qwen's, cut after any line, keep their ids when they grow") {
  const std::filesystem::path folder = fixtures();
  if (folder.empty()) return;
  for (const Sample& sample : samples) {
    const std::string format = sample.format, file = sample.file;
    if ((format != "gemini" && format != "qwen") || !file.ends_with(".jsonl")) continue;
    CAPTURE(file);
    const std::string bytes = read_file(folder / file);
    const std::set<std::string> whole = ids_of(collect_bytes(file, bytes, format));
    for (std::size_t end = bytes.find('\n'); end != std::string::npos;
         end = bytes.find('\n', end + 1))
      for (const std::string& id : ids_of(collect_bytes(file, bytes.substr(0, end + 1), format))) {
        CAPTURE(id);
        // An answer that was not finished has another id now.
        const auto finished = whole.lower_bound(id + "+");
        CHECK((whole.contains(id) || (finished != whole.end() && finished->starts_with(id + "+"))));
      }
  }
}
