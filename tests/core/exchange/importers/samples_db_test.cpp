// Files that the programs themselves have written, where a folder of them is at hand: SKEIN_SAMPLES
// names it. Without it there is nothing to compare with, and the tests say so.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/text/json.h"
#include "core/text/text.h"
#include "tests/support/collected_import.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using test::CollectedImport;
using test::CollectedSession;

namespace {

std::optional<std::string> samples() {
  const std::string folder = test::foreign_samples();
  if (!folder.empty()) return folder;
  MESSAGE("skipped: SKEIN_SAMPLES names no folder of samples");
  return std::nullopt;
}

struct Counts {
  int sessions = 0, prompts = 0, answers = 0, calls = 0, results = 0, contexts = 0;
  bool operator==(const Counts&) const = default;
};
std::string text_of(const Counts& counts) {
  return std::to_string(counts.sessions) + " sessions, " + std::to_string(counts.prompts) +
         " prompts, " + std::to_string(counts.answers) + " answers, " +
         std::to_string(counts.calls) + " calls, " + std::to_string(counts.results) + " results, " +
         std::to_string(counts.contexts) + " contexts";
}

Counts counts_of(const CollectedImport& read) {
  Counts counts{.sessions = static_cast<int>(read.sessions.size())};
  for (const CollectedSession& session : read.sessions) {
    counts.prompts += session.prompts();
    counts.answers += session.answers();
    counts.calls += session.calls();
    counts.results += session.results();
    counts.contexts += session.contexts();
  }
  return counts;
}

struct Sample {
  const char* file;
  const char* format;
  Counts counts;
};
constexpr Sample table[] = {
    {"2026/real/opencode-1.18.33/opencode.db", "opencode", {1, 2, 3, 1, 1, 0}},
    {"2026/agent-sessions/opencode/storage_v2/session/proj_test/ses_s_stage0_small.json",
     "opencode",
     {1, 1, 1, 1, 1, 0}},
    {"2026/agent-sessions/opencode/storage_legacy/session/proj_test/ses_s_stage0_drift.json",
     "opencode",
     {1, 1, 1, 1, 1, 0}},
    {"2026/openclaw-sqlite-synthetic/openclaw-agent.sqlite", "openclaw", {1, 1, 1, 0, 0, 0}},
    {"2026/agent-sessions/openclaw/small.jsonl", "openclaw", {1, 1, 1, 1, 1, 0}},
    {"openclaw/agent-sessions_small.jsonl", "openclaw", {1, 1, 1, 1, 1, 0}},
    {"pi/agent-sessions_small_v3.jsonl", "pi", {1, 2, 2, 0, 0, 0}},
    {"pi/large-session.jsonl", "pi", {1, 88, 453, 391, 373, 0}},
    {"pi/v3_tree.jsonl", "pi", {1, 7, 7, 2, 2, 1}},
    {"damaged/bad_header.jsonl", "pi", {1, 7, 7, 2, 2, 1}},
    {"damaged/bad_middle_line.jsonl", "pi", {1, 7, 6, 0, 2, 1}},
    {"damaged/bom.jsonl", "pi", {1, 7, 7, 2, 2, 1}},
    {"damaged/crlf.jsonl", "pi", {1, 7, 7, 2, 2, 1}},
    {"damaged/cycle.jsonl", "pi", {1, 7, 7, 2, 2, 1}},
    {"damaged/glued_records.jsonl", "pi", {1, 7, 7, 2, 2, 1}},
    {"damaged/no_final_newline.jsonl", "pi", {1, 7, 7, 2, 2, 1}},
    {"damaged/torn_tail.jsonl", "pi", {1, 7, 7, 2, 2, 1}},
    {"2026/real/pi-1.5.0/session.jsonl", "pi", {1, 3, 5, 2, 2, 1}},
    {"2026/real/pi-1.5.0/tree.jsonl", "pi", {1, 5, 8, 1, 1, 3}},
    {"2026/agent-sessions/pi/small.jsonl", "pi", {1, 2, 2, 0, 0, 0}},
};

std::map<std::string, int> stops_of(const CollectedSession& session) {
  std::map<std::string, int> stops;
  for (const auto& entry : session.entries)
    if (const auto* message = std::get_if<model::Message>(&entry.content);
        message != nullptr && message->role == model::Role::assistant)
      ++stops[std::string(name(message->stop))];
  return stops;
}

int messages_on_path(const CollectedSession& session) {
  const std::string path = session.path();
  int lines = 0;
  for (const std::string_view role : {"user: ", "assistant: ", "tool: "})
    for (std::size_t at = path.find(role); at != std::string::npos; at = path.find(role, at + 1))
      lines += at == 0 || path[at - 1] == '\n' ? 1 : 0;
  return lines;
}

}  // namespace

TEST_CASE("what programs have written is read as it was counted by hand") {
  const auto folder = samples();
  if (!folder) return;
  for (const Sample& sample : table) {
    CAPTURE(sample.file);
    const std::string path = *folder + "/" + sample.file;
    REQUIRE(std::filesystem::exists(path));
    auto file = exchange::importers::SourceFile::open(path);
    REQUIRE(std::holds_alternative<exchange::importers::SourceFile>(file));
    const auto* format =
        exchange::importers::format_of(std::get<exchange::importers::SourceFile>(file));
    REQUIRE(format != nullptr);
    CHECK(format->name == sample.format);
    const CollectedImport read = test::collect_file(path);
    CHECK(read.faults == std::vector<std::string>{});
    CHECK(text_of(counts_of(read)) == text_of(sample.counts));
    const CollectedImport again = test::collect_file(path);
    REQUIRE(again.sessions.size() == read.sessions.size());
    for (std::size_t i = 0; i < read.sessions.size(); ++i)
      CHECK(std::ranges::equal(read.sessions[i].entries, again.sessions[i].entries, {},
                               &exchange::importers::ForeignEntry::id,
                               &exchange::importers::ForeignEntry::id));
  }
}

TEST_CASE("a long session of pi has what pi says it has") {
  const auto folder = samples();
  if (!folder) return;
  const auto expected = parse_json(test::read_file(*folder + "/pi/large-session.expected.json"));
  REQUIRE(expected.has_value());
  const CollectedImport read = test::collect_file(*folder + "/pi/large-session.jsonl");
  REQUIRE(read.sessions.size() == 1);
  const CollectedSession& session = read.sessions[0];
  // Two more are what the first line says of the model.
  CHECK(static_cast<std::int64_t>(session.entries.size()) == int_at(*expected, "entries") + 2);
  const Json& roles = at(*expected, "roles");
  CHECK(session.prompts() == int_at(roles, "user"));
  CHECK(session.answers() == int_at(roles, "assistant"));
  CHECK(session.results() == int_at(roles, "toolResult"));
  const Json& stops = at(*expected, "stopReasons");
  const std::map<std::string, int> found = stops_of(session);
  CHECK(found.at("aborted") == int_at(stops, "aborted"));
  CHECK(found.at("tool_use") == int_at(stops, "toolUse"));
  CHECK(found.at("stop") == int_at(stops, "stop"));
  CHECK(found.at("error") == int_at(stops, "error"));
  CHECK(session.usage().input == int_at(*expected, "totalInput"));
  CHECK(session.usage().output == int_at(*expected, "totalOutput"));
  int on_path = 0;
  for (std::string at = session.leaf; !at.empty(); ++on_path) {
    const auto entry =
        std::ranges::find(session.entries, at, &exchange::importers::ForeignEntry::id);
    REQUIRE(entry != session.entries.end());
    at = entry->parent;
  }
  CHECK(on_path == int_at(*expected, "contextMessages"));
}

TEST_CASE("each leaf of a tree of pi has the path pi shows the model") {
  const auto folder = samples();
  if (!folder) return;
  const auto expected = parse_json(test::read_file(*folder + "/pi/v3_tree.expected.json"));
  REQUIRE(expected.has_value());
  const CollectedImport read = test::collect_file(*folder + "/pi/v3_tree.jsonl");
  REQUIRE(read.sessions.size() == 1);
  CollectedSession session = read.sessions[0];
  CHECK(session.session.title == string_at(*expected, "name"));
  CHECK(session.path() == "user: Second root\nassistant: root2\n");
  CHECK(messages_on_path(session) ==
        static_cast<int>(at(at(*expected, "contextDefault"), "messages").size()));
  session.leaf = "ca038eb2";  // of A, without what is no message
  CHECK(messages_on_path(session) ==
        static_cast<int>(at(at(at(*expected, "contexts"), "A"), "messages").size()));
  session.leaf = string_at(at(*expected, "leaves"), "B");
  // Before what the compaction kept: a greeting, its answer, "Approach B", its answer, a command.
  CHECK(messages_on_path(session) ==
        static_cast<int>(at(at(at(*expected, "contexts"), "B"), "messages").size()) - 1 + 5);
}

TEST_CASE("a real session that was read while it grew keeps its ids") {
  const auto folder = samples();
  if (!folder) return;
  for (const char* name : {"/pi/v3_tree.jsonl", "/2026/real/pi-1.5.0/tree.jsonl",
                           "/2026/real/pi-1.5.0/session.jsonl"}) {
    const std::string whole = test::read_file(*folder + name);
    const CollectedImport all = test::collect_bytes(name, whole, "pi");
    for (std::size_t end = whole.find('\n'); end != std::string::npos;
         end = whole.find('\n', end + 1)) {
      const CollectedImport part = test::collect_bytes(name, whole.substr(0, end + 1), "pi");
      CHECK(part.faults.empty());
      for (const auto& entry : part.sessions.at(0).entries)
        CHECK(std::ranges::find(all.sessions.at(0).entries, entry.id,
                                &exchange::importers::ForeignEntry::id) !=
              all.sessions.at(0).entries.end());
    }
  }
}
