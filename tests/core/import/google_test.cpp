#include <doctest/doctest.h>

#include <string>

#include "tests/support/collected_import.h"
#include "tests/support/import_growth.h"

using namespace skein;
using namespace skein::test;

namespace {

CollectedImport collect(const std::string& bytes) {
  CollectedImport out = collect_bytes("dir/contents.json", bytes, "");
  CHECK(out.faults.empty());
  CHECK(importers::format_of(importers::SourceFile::of_bytes("x", bytes)) ==
        importers::format_named("google"));
  return out;
}

const std::string expected =
    "user: look\nassistant: I look. [ls]\ntool: a.txt\nassistant: One file.\n";

}  // namespace

TEST_CASE("contents of a request to Google are a session") {
  const auto read = collect(
      R"({"model":"gemini-3-pro","systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"look"}]},{"role":"model","parts":[{"text":"I look."},{"functionCall":{"name":"ls","args":{}},"thoughtSignature":"c2Vhb"}]},{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"result":"a.txt"}}}]},{"role":"model","parts":[{"text":"One file."}]}]})");
  const CollectedSession& session = read.sessions.at(0);
  CHECK(session.path() == expected);
  CHECK(session.contexts() == 1);
  const auto& answer = std::get<model::Message>(session.entries[2].content);
  CHECK(answer.model == "gemini-3-pro");
  CHECK(answer.provider == "google");
  CHECK(session.entries[2].raw.find("c2Vhb") != std::string::npos);
  const auto& result = std::get<model::Message>(session.entries[3].content);
  CHECK(std::get<model::ToolResult>(result.content[0]).tool_use_id ==
        model::tool_uses(answer)[0]->id);
}

TEST_CASE("calls beside the parts, as documents show them, are calls") {
  const auto read = collect(
      R"([{"role":"user","parts":[{"text":"look"}]},{"role":"model","parts":[{"text":"I look."}],"functionCalls":[{"id":"c1","name":"ls","args":{"path":"."}}]},{"role":"tool","toolCallId":"c1","parts":[{"text":"a.txt"}]},{"role":"model","parts":[{"text":"One file."}]}])");
  CHECK(read.sessions.at(0).path() == expected);
}

TEST_CASE("lines of Google's contents grow without changing what was read") {
  check_growth(
      "google",
      R"({"role":"user","parts":[{"text":"hi"}]})"
      "\n"
      R"({"role":"model","parts":[{"functionCall":{"name":"ls"}},{"functionCall":{"name":"ls"}}]})"
      "\n"
      R"({"role":"user","parts":[{"functionResponse":{"name":"ls","response":"x"}},{"text":"and?"}]})"
      "\n"
      R"({"role":"user","parts":[{"text":"hi"}]})"
      "\n");
}
