#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "tests/support/collected_import.h"
#include "tests/support/import_growth.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

const std::string turn =
    R"({"type":"system","content":"Be brief."}
{"type":"user","content":[{"type":"text","text":"OS: linux"}],"synthetic_reason":"environment_context"}
{"type":"user","content":[{"type":"text","text":"look"},{"type":"image","url":"data:image/png;base64,aGk="}],"prompt_index":0}
{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"c2Vhb"}
{"type":"assistant","content":"I look.","tool_calls":[{"id":"c1","name":"run","arguments":"{\"command\":\"ls\"}"}],"model_id":"grok-4.5"}
{"type":"tool_result","tool_call_id":"c1","content":"a.txt"}
{"type":"backend_tool_call","kind":{"tool_type":"web_search"}}
{"type":"assistant","content":"One file.","tool_calls":[],"model_id":"grok-4.5"}
)";

CollectedImport collect(const std::string& bytes) {
  CollectedImport out = collect_bytes("sessions/%2Fhome%2Fme/g-1/chat_history.jsonl", bytes, "");
  CHECK(out.faults.empty());
  REQUIRE(out.sessions.size() == 1);
  return out;
}

}  // namespace

TEST_CASE("Grok's lines become a conversation, its sealed thoughts kept beside") {
  const auto read = collect(turn);
  const CollectedSession& session = read.sessions[0];
  CHECK(session.path() ==
        "user: look\nassistant: I look. [run]\ntool: a.txt\nassistant: One file.\n");
  CHECK(session.contexts() == 2);
  CHECK(read.blobs.size() == 1);
  CHECK(read.losses.at("calls that the provider ran") == 1);
  const auto& answer = std::get<model::Message>(session.entries[3].content);
  CHECK(std::get<model::Thinking>(answer.content[0]).thinking == "hm");
  CHECK(std::get<model::Thinking>(answer.content[0]).signature.empty());
  CHECK(session.entries[3].raw.find("c2Vhb") != std::string::npos);
  CHECK(answer.provider == "xai");
  CHECK(answer.model == "grok-4.5");
  CHECK(session.session.id == "g-1");
  CHECK(session.session.cwd == "/home/me");
}

TEST_CASE("thoughts of Grok's that no answer followed stand alone") {
  const std::string bytes = turn + R"({"type":"reasoning","summary":[{"text":"wait"}]})" + "\n";
  const CollectedSession session =
      collect(bytes + R"({"type":"user","content":"well?"})").sessions[0];
  CHECK(session.answers() == 3);
  CHECK(session.path().ends_with("assistant: \nuser: well?\n"));
  CollectedImport growing;
  importers::format_named("grok")->read(importers::SourceFile::of_bytes("x", bytes),
                                        {.growing = true}, growing);
  CHECK(growing.sessions[0].answers() == 2);
}

TEST_CASE("the summary beside names a session of Grok's, and says that it was spawned") {
  TempDir dir;
  write_file(dir / "chat_history.jsonl", turn);
  write_file(
      dir / "summary.json",
      R"({"info":{"id":"g-2","cwd":"/w"},"session_summary":"files","created_at":"2026-07-31T10:13:27.574131Z","session_kind":"subagent"})");
  const auto session = collect_file((dir / "chat_history.jsonl").string()).sessions[0].session;
  CHECK(session.id == "g-2");
  CHECK(session.cwd == "/w");
  CHECK(session.title == "files");
  CHECK(session.created_at == "2026-07-31T10:13:27.574Z");
  CHECK(session.spawned);
}

TEST_CASE("what was read of Grok's lines keeps its ids, also where lines are equal") {
  const std::string calm = turn.substr(0, turn.find("{\"type\":\"reasoning\""));
  check_growth("grok", calm + calm);
}

TEST_CASE("damaged lines and wrong types among Grok's do no harm") {
  const auto read =
      collect(turn + "{\"type\n" +
              R"({"type":"assistant","content":{"a":1},"tool_calls":"x","model_id":7})" + "\n" +
              R"({"type":"reasoning","summary":4})" + "\n" + R"({"type":[],"content":1})" + "\n" +
              R"({"type":"tool_result","content":[1]})");
  CHECK(read.losses.at("damaged lines") == 1);
}
