#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "tests/support/collected_import.h"
#include "tests/support/import_growth.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

const std::string header =
    R"({"type":"session","id":"0123456789ab","key":"main:cli:me","created":"2026-02-03T04:05:06+00:00"})"
    "\n";

// A turn is written at its end, but its results while it runs.
const std::string early_results =
    R"({"type":"tool_result","tool_use_id":"t1","output":"one","ts":"2026-02-03T04:05:07+00:00"}
{"type":"tool_result","tool_use_id":"t2","output":"two","ts":"2026-02-03T04:05:07+00:00"}
{"type":"user","content":"read both","ts":"2026-02-03T04:05:08+00:00"}
{"type":"assistant","content":"Reading.","ts":"2026-02-03T04:05:08+00:00"}
{"type":"tool_use","name":"read","tool_use_id":"t1","input":{"p":"a"},"ts":"2026-02-03T04:05:08+00:00"}
{"type":"tool_use","name":"read","tool_use_id":"t2","input":{"p":"b"},"ts":"2026-02-03T04:05:08+00:00"}
{"type":"assistant","content":"Both read.","ts":"2026-02-03T04:05:08+00:00"}
)";

const std::string doubled =
    R"({"type":"user","content":"read both","ts":1790000000.25}
{"type":"assistant","content":[{"type":"text","text":"Reading."},{"type":"tool_use","id":"t1","name":"read","input":{"p":"a"}},{"type":"tool_use","id":"t2","name":"read","input":{"p":"b"}}],"ts":1790000001.5}
{"type":"tool_use","tool_use_id":"t1","name":"read","input":{"p":"a"},"ts":1790000002}
{"type":"tool_result","tool_use_id":"t1","content":"one","ts":1790000002}
{"type":"tool_use","tool_use_id":"t2","name":"read","input":{"p":"b"},"ts":1790000003}
{"type":"tool_result","tool_use_id":"t2","content":"two","ts":1790000003}
{"type":"assistant","content":[{"type":"text","text":"Both read."}],"ts":1790000004}
)";

const std::string expected =
    "user: read both\nassistant: Reading. [read] [read]\ntool: one\ntool: two\n"
    "assistant: Both read.\n";

CollectedImport collect(const std::string& bytes,
                        const std::string& path = "transcripts/main_cli_me_0123456789ab.jsonl") {
  CollectedImport out = collect_bytes(path, bytes, "");
  CHECK(out.faults.empty());
  REQUIRE(out.sessions.size() == 1);
  return out;
}

}  // namespace

TEST_CASE("results that were written before their turn come behind their calls") {
  const auto read = collect(header + early_results);
  CHECK(read.sessions[0].path() == expected);
  CHECK(read.sessions[0].session.created_at == "2026-02-03T04:05:06.000Z");
  CHECK(read.losses.empty());
}

TEST_CASE("calls that claw0 wrote twice are one each") {
  const auto read = collect(doubled, "agents/me/sessions/0123456789ab.jsonl");
  CHECK(read.sessions[0].path() == expected);
  CHECK(read.sessions[0].entries[0].time == "2026-09-21T14:13:20.250Z");
}

TEST_CASE("a transcript of mini-claw's is the same session with its header and without") {
  const auto with = collect(header + early_results), without = collect(early_results);
  CHECK(with.sessions[0].session.id == "0123456789ab");
  CHECK(without.sessions[0].session.id == "0123456789ab");
  CHECK(without.sessions[0].path() == expected);
}

TEST_CASE("the index beside gives the label") {
  TempDir dir;
  std::filesystem::create_directories(dir / "sessions");
  write_file(
      dir / "sessions.json",
      R"({"aa":5,"0123456789ab":{"label":"files","created_at":"2026-02-03T04:05:06+00:00"}})");
  write_file(dir / "sessions/0123456789ab.jsonl", doubled);
  const auto read = collect_file((dir / "sessions/0123456789ab.jsonl").string());
  CHECK(read.sessions[0].session.title == "files");
  CHECK(read.sessions[0].session.created_at == "2026-02-03T04:05:06.000Z");
}

TEST_CASE("a result whose call is nowhere is kept, but not as a message") {
  const std::string lost =
      R"({"type":"tool_result","tool_use_id":"gone","output":"lost","ts":"2026-02-03T04:05:09+00:00"})";
  const auto read = collect(header + early_results + lost);
  CHECK(read.sessions[0].path() == expected);
  CHECK(read.sessions[0].contexts() == 1);
  CollectedImport growing;
  importers::format_named("claw0")->read(
      importers::SourceFile::of_bytes("x", header + early_results + lost), {.growing = true},
      growing);
  CHECK(growing.sessions[0].contexts() == 0);
}

TEST_CASE("a damaged line of claw0's costs that line, and what was read keeps its id") {
  std::string bytes = doubled;
  bytes.insert(bytes.find("{\"type\":\"assistant\""),
               "{\"type\": tr\n{\"type\":\"odd\",\"ts\":[]}\n");
  const auto read = collect(bytes);
  CHECK(read.losses.at("damaged lines") == 1);
  CHECK(read.losses.at("lines and blocks of other kinds") == 1);
  CHECK(read.sessions[0].path() == expected);
  const std::string first = doubled.substr(0, doubled.find('\n') + 1);
  check_growth("claw0", first +
                            R"({"type":"assistant","content":"Hi!","ts":1790000001})"
                            "\n" +
                            first);
}
