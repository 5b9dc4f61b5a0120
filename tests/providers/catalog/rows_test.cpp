// The table of models: sound, and nothing in it has ended.
#include "providers/catalog/rows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "providers/catalog/catalog.h"

using namespace skein;
using namespace skein::catalog;

namespace {

constexpr std::int64_t ms_per_day = 24 * 60 * 60 * 1000;
const std::int64_t november_16 = *ms_from_utc("2026-11-16T09:00:00.000Z");

bool has(std::string_view provider, std::string_view name) {
  return std::ranges::any_of(rows::models, [&](const ModelRow& row) {
    return row.provider == provider && row.name == name;
  });
}

}  // namespace

TEST_CASE("no model is there twice, and what follows one that ends is there") {
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (const ModelRow& row : rows::models) {
    CAPTURE(row.name);
    CHECK(names.emplace(row.provider, row.name).second);
    CHECK(row.ends.empty() == row.instead.empty());
    CHECK((row.ends.empty() || days_until(row.ends, november_16).has_value()));
    CHECK((row.instead.empty() || has(row.provider, row.instead)));
    CHECK((row.thinking_off.empty() || row.thinks.has(model::ThinkingLevel::off)));
  }
  for (const RetiredRow& row : rows::retired) {
    CAPTURE(row.name);
    CHECK(names.emplace(row.provider, row.name).second);
    CHECK(days_until(row.ended, november_16).value() < 0);
    CHECK(has(row.provider, row.instead));
  }
}

TEST_CASE("what follows a model that ends does not end before it") {
  for (const ModelRow& row : rows::models)
    for (const ModelRow& next : rows::models)
      if (row.provider == next.provider && row.instead == next.name && !next.ends.empty())
        CHECK(next.ends > row.ends);
}

TEST_CASE("longer calls cost more, in tiers of growing length") {
  for (const ModelRow& row : rows::models) {
    const Prices* before = &row.prices;
    std::int64_t above = 0;
    for (const Tier& tier : row.tiers) {
      if (tier.above == 0) break;
      CAPTURE(row.name);
      CHECK(tier.above > above);
      CHECK(tier.above <= row.window);
      CHECK(*tier.prices.input > *before->input);
      CHECK(*tier.prices.output > *before->output);
      CHECK(tier.prices.cache_read.has_value() == before->cache_read.has_value());
      above = tier.above;
      before = &tier.prices;
    }
  }
}

// Time passes for a build that was good once: a warning here, an error where a release is made.
TEST_CASE("no model in the table has ended") {
  const bool release = std::getenv("SKEIN_RELEASE") != nullptr;
  for (const ModelRow& row : rows::models) {
    const std::optional<std::int64_t> days = days_until(row.ends, now_ms());
    CAPTURE(row.name);
    if (release)
      CHECK((!days || *days >= 0));
    else
      WARN((!days || *days >= 0));
  }
}

TEST_CASE("an end is told in days, with what comes then") {
  ModelRow row{.provider = "p", .name = "m", .ends = "2026-11-30", .instead = "n"};
  CHECK(ending_text(row, november_16) == "ends in 14 days, then n");
  CHECK(ending_text(row, november_16 + 13 * ms_per_day) == "ends in 1 day, then n");
  CHECK(ending_text(row, november_16 + 14 * ms_per_day) == "ends today, then n");
  CHECK(ending_text(row, november_16 + 15 * ms_per_day) == "ended 2026-11-30; use n");
  row.instead = {};
  CHECK(ending_text(row, november_16) == "ends in 14 days");
  row.ends = "soon";
  CHECK(ending_text(row, november_16).empty());
  row.ends = {};
  CHECK(ending_text(row, november_16).empty());
}

TEST_CASE("a model that has ended is named with what to use instead") {
  const Catalog catalog;
  CHECK(ended_text(catalog, {"anthropic", "claude-opus-4-1-20250805"}, november_16) ==
        "claude-opus-4-1-20250805 ended 2026-08-05; use claude-opus-5-5");
  CHECK(ended_text(catalog, {"anthropic", "claude-sonnet-4-5"}, november_16).empty());
  CHECK(ended_text(catalog, {"anthropic", "claude-sonnet-4-5"}, november_16 + 20 * ms_per_day) ==
        "claude-sonnet-4-5 ended 2026-11-30; use claude-sonnet-5-5");
  CHECK(ended_text(catalog, {"anthropic", "claude-opus-9"}, november_16).empty());
  CHECK_THROWS_WITH(catalog.parse("o4-mini"), "o4-mini ended 2026-10-23; use openai/gpt-5.6-terra");
}
