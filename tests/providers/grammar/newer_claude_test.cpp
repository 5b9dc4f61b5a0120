// What newer Claude models refuse and older ones took, and the other way round.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "providers/grammar/validator.h"
#include "tests/support/known_target.h"

using namespace skein;
using namespace skein::grammar;

namespace {

std::string joined(const std::vector<std::string>& lines) {  // to be legible when a check fails
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

}  // namespace

TEST_CASE("the newer rules of the Anthropic format are seen, each for the models that have it") {
  const auto judged = [](const char* model, const std::string& settings,
                         const std::string& reply = R"({"type":"text","text":"ok"},)",
                         std::string_view betas = {}) {
    const std::string body = R"({"model":")" + std::string(model) + R"(","max_tokens":4096,)" +
                             settings + R"("messages":[{"role":"user","content":"hi"},
      {"role":"assistant","content":[)" +
                             reply + R"({"type":"tool_use","id":"a","name":"x","input":{}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}]})";
    return joined(violations(test::known_target("anthropic", model), body, betas));
  };
  const char *older = "claude-sonnet-4-5", *newer = "claude-opus-5-5";
  const std::string budget = R"("thinking":{"type":"enabled","budget_tokens":2048},)";
  const std::string adaptive = R"("thinking":{"type":"adaptive","display":"summarized"},)";
  const std::string loose =
      R"("thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}},)";
  const std::string off = R"("thinking":{"type":"disabled"},)";
  const std::string thought = R"({"type":"thinking","thinking":"hm","signature":"c2ln"},)";
  const std::string late = R"({"type":"text","text":"ok"},)" + thought;
  const std::string_view beta = "thinking-binding-controls-2026-08-01";

  CHECK(judged(older, budget, thought) == "");
  CHECK(judged(older, budget) ==
        "messages[1].content: the running loop does not begin with thinking\n");
  CHECK(judged(older, "") == "");
  CHECK(judged(older, "", thought) ==
        "messages[1].content: thinking in a running loop without it\n");
  CHECK(judged("claude-opus-4-8", off, thought) ==
        "messages[1].content: thinking in a running loop without it\n");
  CHECK(judged(older, "", late).starts_with("messages[1].content: thinking that is not first\n"));
  CHECK(judged(newer, adaptive, late) == "");
  CHECK(judged(newer, budget, thought) == "thinking.type: this model takes no budget\n");
  CHECK(judged(newer, off) == "thinking.type: this model always thinks\n");
  CHECK(judged("claude-haiku-5-5", off) == "");
  CHECK(judged(newer, adaptive) == "");
  CHECK(judged(newer, loose, thought, beta) == "");
  CHECK(judged(newer, loose) == "thinking.block_binding: not known without its beta header\n");
  CHECK(
      judged(
          "claude-haiku-5-5",
          R"("thinking":{"type":"disabled","block_binding":{"prefix_mismatch_behavior":"error"}},)",
          "", beta) == "thinking.block_binding: without thinking\n");
  CHECK(judged("claude-sonnet-5-5", R"("thinking":{"type":"between_tools"},)") == "");
  CHECK(judged("claude-sonnet-5-5",
               R"("thinking":{"type":"between_tools"},"output_config":{"effort":"max"},)") ==
        "output_config.effort: more than high between tools\n");
  CHECK(judged(newer, R"("thinking":{"type":"loud"},)") == "thinking.type: refused: 'loud'\n");
  CHECK(judged(newer, R"("tool_choice":{"type":"any"},)") ==
        "tool_choice: this model is not forced\n");
}
