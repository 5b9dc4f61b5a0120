#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/legacy/session.h"
#include "core/model/message.h"

using namespace skein;

namespace {

std::vector<model::Message> messages_of(const legacy::Session& session) {
  std::vector<model::Message> out;
  for (const model::Entry& entry : session.entries)
    if (auto message = model::message_of(entry)) out.push_back(*std::move(message));
  return out;
}

// As a tutorial writes them: a turn's results first, then what was said, the call once more.
const std::string lines =
    R"({"type":"tool_result","tool_use_id":"a","output":"one","ts":1790000000.5}
{"type":"user","content":"look","ts":1790000001}
{"type":"assistant","content":[{"type":"text","text":"I do."},{"type":"tool_use","id":"a","name":"ls","input":{}}],"ts":1790000001}
not a line
{"type":"tool_use","name":"ls","tool_use_id":"a","input":{},"ts":1790000001}
{"type":"assistant","content":"There is one.","ts":1790000002}
)";

}  // namespace

TEST_CASE("flat lines need their header to be told from other lines, and are read without one") {
  const std::string header =
      R"({"type":"session","id":"x","key":"a:b:c","created":"2026-01-02T03:04:05Z"})";
  CHECK_FALSE(legacy::read_session(Id{1}, R"({"type":"user","content":"hi"})"
                                          "\n"
                                          R"({"type":"user","content":"ho"})"));
  const auto with =
      legacy::read_session(Id{1}, header + "\n" + R"({"type":"user","content":"hi"})");
  REQUIRE(with);
  CHECK(with->key == "a:b:c");
  const legacy::Session without =
      legacy::read_flat_lines(Id{1}, legacy::lines_of(R"({"type":"user","content":"hi"})"));
  CHECK(without.key.empty());
  CHECK(messages_of(without) == messages_of(*with));
}

TEST_CASE(
    "a result that came before its call follows it, and a call that was written twice is one") {
  const legacy::Session read = legacy::read_flat_lines(Id{1}, legacy::lines_of("{}\n" + lines));
  const std::vector<model::Message> said = messages_of(read);
  REQUIRE(said.size() == 4);
  CHECK(said[0].role == model::Role::user);
  CHECK(model::tool_uses(said[1]).size() == 1);
  CHECK(said[2].role == model::Role::tool);
  CHECK(model::plain_text(said[3]) == "There is one.");
  CHECK(read.losses.size() == 2);  // the damaged line, and the one without a type
}

TEST_CASE("calls of Google's models next to the parts are read, each once") {
  const std::string text =
      R"([{"role":"user","parts":[{"text":"look"}]},)"
      R"({"role":"model","parts":[{"text":"I do."}],"functionCalls":[)"
      R"({"name":"ls","args":{"path":"."}},{"name":"ls","args":{"path":"."}}]},)"
      R"({"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"a"}}},)"
      R"({"functionResponse":{"name":"ls","response":{"output":"b"}}}]},)"
      R"({"role":"model","parts":[{"functionCall":{"name":"cat","args":{}}}],)"
      R"("functionCalls":[{"name":"cat","args":{}}]}])";
  const auto read = legacy::read_session(Id{1}, text);
  REQUIRE(read);
  CHECK(read->losses.empty());
  std::vector<std::string> calls, results;
  for (const model::Message& message : messages_of(*read)) {
    for (const model::ToolUse* call : model::tool_uses(message)) calls.push_back(call->id);
    for (const model::Block& block : message.content)
      if (const auto* result = std::get_if<model::ToolResult>(&block))
        results.push_back(result->tool_use_id);
  }
  REQUIRE(calls.size() == 3);
  CHECK(results == std::vector{calls[0], calls[1]});
}
