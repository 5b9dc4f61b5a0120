#include "repl/status/status_line.h"

#include <doctest/doctest.h>

#include "core/text/json.h"

using namespace skein;
using namespace skein::status;

TEST_CASE("a status command is told of the session in Claude Code's names") {
  const StatusFacts facts{
      .session = "0198c2",
      .key = "main:cli:user",
      .title = "fix \"it\"",
      .transcript = "/home/t.jsonl",
      .folder = "/srv/parser",
      .model = {.provider = "anthropic", .model = "opus", .thinking = model::ThinkingLevel::high},
      .window = 200'000,
      .last = model::Usage{.input = 10'000, .output = 2'000, .cache_read = 88'000},
      .cache_miss = insights::CacheUse{.time = "2026-11-10T10:00:00.000Z",
                                       .cause = insights::MissCause::expired},
      .cache_warm = true,
      .all = {.input = 20'000, .output = 3'000, .cache_read = 88'000},
      .cost = session::Cost{.dollars = 0.5},
      .worked_ms = 1200,
      .branches = 2,
      .branch = 1};
  const Json told = parse_json(facts_json(facts, 5000)).value();
  CHECK(told["session_id"] == "0198c2");
  CHECK(told["session_name"] == "fix \"it\"");
  CHECK(told["transcript_path"] == "/home/t.jsonl");
  CHECK(told["cwd"] == "/srv/parser");
  CHECK(told["workspace"]["current_dir"] == "/srv/parser");
  CHECK(told["workspace"]["project_dir"] == "/srv/parser");
  CHECK(told["model"]["id"] == "opus");
  CHECK(told["model"]["display_name"] == "opus");
  CHECK(told["cost"]["total_cost_usd"] == 0.5);
  CHECK(told["cost"]["total_duration_ms"] == 5000);
  CHECK(told["cost"]["total_api_duration_ms"] == 1200);
  CHECK(told["cost"]["total_lines_added"].is_null());
  CHECK(told["context_window"]["context_window_size"] == 200'000);
  CHECK(told["context_window"]["used_percentage"] == 50);
  CHECK(told["context_window"]["remaining_percentage"] == 50);
  CHECK(told["context_window"]["total_input_tokens"] == 108'000);
  CHECK(told["context_window"]["current_usage"]["cache_read_input_tokens"] == 88'000);
  CHECK(told["prompt_cache"]["hit_ratio"] == doctest::Approx(88.0 / 98));
  CHECK(told["prompt_cache"]["warm"] == true);
  CHECK(told["prompt_cache"]["last_miss_at"] == "2026-11-10T10:00:00.000Z");
  CHECK(told["prompt_cache"]["last_miss_cause"]["causes"] == Json::array({"ttl_expired_5m"}));
  CHECK(told["exceeds_200k_tokens"] == false);
  CHECK(told["effort"]["level"] == "high");
  CHECK(told["thinking"]["enabled"] == true);
  CHECK(told["skein"]["provider"] == "anthropic");
  CHECK(told["skein"]["branches"] == 2);
  CHECK(told["skein"]["cost_at_least"] == false);
  CHECK(told["skein"]["mode"] == "default");
}

TEST_CASE("what is not known is null for a status command") {
  const Json told = parse_json(facts_json({.session = "0198c2", .folder = "/srv"}, 0)).value();
  for (const char* name :
       {"session_name", "transcript_path", "prompt_cache", "exceeds_200k_tokens", "effort"})
    CHECK_MESSAGE(told.at(name).is_null(), name);
  CHECK(told["cost"]["total_cost_usd"].is_null());
  for (const char* name :
       {"context_window_size", "used_percentage", "remaining_percentage", "current_usage"})
    CHECK_MESSAGE(told["context_window"].at(name).is_null(), name);
  CHECK(told["skein"]["head"].is_null());
}
