#include "core/model/payloads.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::model;

namespace {

const Id a = *parse_id("00000000000000aa"), b = *parse_id("00000000000000bb");

struct Sample {
  Payload payload;
  std::string_view type;
  std::string json;
};

const Sample samples[] = {
    {payload::Head{a}, type::custom, R"({"kind":"head","entryId":"00000000000000aa"})"},
    {payload::Title{"t"}, type::custom, R"({"kind":"title","text":"t"})"},
    {payload::Key{"k"}, type::custom, R"({"kind":"key","key":"k"})"},
    {payload::Label{a, "l"}, type::custom,
     R"({"kind":"label","entryId":"00000000000000aa","text":"l"})"},
    {payload::Snapshot{"s", a}, type::custom,
     R"({"kind":"snapshot","name":"s","entryId":"00000000000000aa"})"},
    {payload::Snapshot{"s", std::nullopt}, type::custom,
     R"({"kind":"snapshot","name":"s","entryId":null})"},
    {payload::Permissions{{"read", "!bash"}}, type::custom,
     R"({"kind":"permissions","rules":["read","!bash"]})"},
    {payload::ThinkingOffBefore{a}, type::custom,
     R"({"kind":"thinking_off_before","entryId":"00000000000000aa"})"},
    {payload::Checkpoint{.prompt = a,
                         .phase = "before",
                         .root = "/w",
                         .coverage = "git",
                         .git = "c",
                         .files = {{"x\\", 0644, "h", 3}, {"gone", 0, std::nullopt, 0}},
                         .left_out = 1},
     type::custom,
     R"({"kind":"checkpoint","promptId":"00000000000000aa","phase":"before","root":"/w",)"
     R"("coverage":"git","git":"c","files":[["x\\x5c",420,"h",3],["gone",0,null,0]],"leftOut":1})"},
    {payload::Restore{.to = a, .before = b, .head = a, .redo = true, .changed = 2, .kept = 1},
     type::custom,
     R"({"kind":"restore","to":"00000000000000aa","before":"00000000000000bb",)"
     R"("head":"00000000000000aa","redo":true,"changed":2,"kept":1,"failed":0})"},
    {payload::ModelChange{"p", "m"}, type::model_change, R"({"provider":"p","model":"m"})"},
    {payload::ThinkingLevelChange{"high"}, type::thinking_level_change, R"({"level":"high"})"},
    {payload::SystemPromptOverride{"be brief"}, type::system_prompt_override,
     R"({"text":"be brief"})"},
    {payload::Redaction{a, "why"}, type::redaction,
     R"({"targetEntryId":"00000000000000aa","reason":"why"})"},
    {payload::RuntimeInit{"s", {"read", "bash"}}, type::runtime_init,
     R"({"system":"s","tools":["read","bash"]})"},
    {payload::RuntimeInit{
         .system = "s",
         .tools = {"read"},
         .specs = std::vector<ToolSpec>{{"read", "reads", R"({ "type":"object"})"}},
         .hash = "h",
         .provider = "p",
         .overridden = true,
         .said = {{"the workspace", "w"}},
         .servers = {{"files", "1.0 h"}},
         .masked = {a}},
     type::runtime_init,
     R"({"system":"s","tools":["read"],"toolSpecs":[{"name":"read","description":"reads",)"
     R"("schema":"{ \"type\":\"object\"}"}],"hash":"h","provider":"p","overridden":true,)"
     R"("said":{"the workspace":"w"},"servers":{"files":"1.0 h"},"masked":["00000000000000aa"]})"},
    {payload::BranchSummary{a, b, "s"}, type::branch_summary,
     R"({"sourceSessionId":"00000000000000aa","sourceEntryId":"00000000000000bb","summary":"s"})"},
    {payload::CompactionSummary{.summary = "s",
                                .first_kept = a,
                                .tokens_before = 7,
                                .tokens_per_guess = 1.5,
                                .files_read = {"r"}},
     type::compaction_summary,
     R"({"summary":"s","firstKeptEntryId":"00000000000000aa","tokensBefore":7,)"
     R"("tokensPerGuess":1.5,"filesRead":["r"],"filesChanged":[]})"},
    {payload::CompactionSummary{.summary = "s",
                                .first_kept = a,
                                .tokens_before = 7,
                                .tokens_per_guess = 1.5,
                                .files_changed = {"w"},
                                .last_prompt = "do",
                                .result_bytes = 9,
                                .provider = "p",
                                .model = "m",
                                .usage = Usage{1, 2, 3, 4, 5}},
     type::compaction_summary,
     R"({"summary":"s","firstKeptEntryId":"00000000000000aa","tokensBefore":7,)"
     R"("tokensPerGuess":1.5,"filesRead":[],"filesChanged":["w"],"lastPrompt":"do","resultBytes":9,)"
     R"("provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,)"
     R"("reasoning":5}})"},
};

}  // namespace

TEST_CASE("every payload is written as the format says, and comes back whole") {
  for (const Sample& sample : samples) {
    CAPTURE(sample.json);
    const Entry entry = make_entry(sample.payload);
    CHECK(entry.type == sample.type);
    CHECK(entry.payload == sample.json);
    const std::optional<Payload> back = read_payload(sample.type, sample.json);
    REQUIRE(back);
    CHECK(back->index() == sample.payload.index());
    CHECK(make_entry(*back).payload == sample.json);
  }
}

TEST_CASE("a payload without the entry it is about is not read") {
  CHECK(!read_payload(type::custom, R"({"kind":"head"})"));
  CHECK(!read_payload(type::custom, R"({"kind":"label","entryId":"no id","text":"l"})"));
  CHECK(!read_payload(type::redaction, R"({"reason":"why"})"));
}

TEST_CASE("what is not ours to read is left alone") {
  CHECK(!read_payload(type::custom, R"({"kind":"somebody else's"})"));
  CHECK(!read_payload(type::message, R"({"role":"user"})"));
  CHECK(!read_payload(type::custom, "no JSON"));
  const Entry title = make_entry(payload::Title{"t"});
  CHECK(!read_as<payload::Head>(title));
  CHECK(read_as<payload::Title>(title)->text == "t");
}
