#include <doctest/doctest.h>

#include <string>

#include "tests/support/collected_import.h"

using namespace skein;
using namespace skein::test;

TEST_CASE("a session of Hermes' is a chat with a name") {
  const auto read = collect_bytes("session_1.json",
                                  R"({
  "session_id": "h-1", "model": "claude-sonnet-5", "session_start": "2026-04-29T20:00:00Z", "cwd": "/w",
  "messages": [
    {"role": "user", "content": "look"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}], "finish_reason": "tool_calls"},
    {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
    {"role": "assistant", "content": "One fi", "finish_reason": "length"}
  ]})",
                                  "");
  CHECK(read.faults.empty());
  REQUIRE(read.sessions.size() == 1);
  const CollectedSession& session = read.sessions[0];
  CHECK(session.session.id == "h-1");
  CHECK(session.session.cwd == "/w");
  CHECK(session.session.created_at == "2026-04-29T20:00:00.000Z");
  CHECK(session.path() == "user: look\nassistant:  [ls]\ntool: a.txt\nassistant: One fi\n");
  const auto& answer = std::get<model::Message>(session.entries[3].content);
  CHECK(answer.stop == model::Stop::length);
  CHECK(answer.provider == "anthropic");
}

TEST_CASE("a file of Hermes' that is cut cannot be read, and says so") {
  CollectedImport out;
  CHECK_THROWS_WITH_AS(
      importers::format_named("hermes")->read(
          importers::SourceFile::of_bytes("h.json", R"({"session_id":"h","messages":[)"), {}, out),
      "cannot read h.json: it is damaged, or of more than 256 MiB", Error);
}
