#include "repl/commands/usage.h"

#include <doctest/doctest.h>

#include "core/text/base.h"

using namespace skein;
using commands::as_text, commands::share_of, commands::sparkline;

namespace {

insights::Insights sample() {
  insights::Insights found;
  insights::Tally& all = found.all;
  all.sessions = 2, all.prompts = 3, all.calls = 1000, all.dollars = 1.2, all.priced = 5;
  all.usage = {1000, 200, 3000, 0, 0};
  found.all.unpriced = 1;
  found.models["acme/\033[31mred"] = found.all;
  found.models["acme/small"].calls = 1;
  found.days["2026-11-01"] = found.all;
  found.days["2026-11-04"] = found.all;
  found.tools["bash"] = {.calls = 7, .failures = 2, .refusals = 1};
  return found;
}

}  // namespace

TEST_CASE("a sparkline has a place for every value, and none looks like nothing") {
  CHECK(sparkline({0, 1, 8, 4}) == " ▁█▄");
  CHECK(sparkline({0, 0}) == "  ");
  CHECK(sparkline({1, 1'000'000}) == "▁█");
}

TEST_CASE("a bar is as long as its share, and what is there can be seen") {
  CHECK(share_of(1, 3) == "███");
  CHECK(share_of(0.5, 3) == "█▌");
  CHECK(share_of(0.0001, 3) == "▏");
  CHECK(share_of(0, 3).empty());
}

TEST_CASE("the text says at least what is known of the cost, and drives no terminal") {
  const std::string text = as_text(sample(), {});
  CHECK(text.find("2 sessions · 3 prompts · 1,000 model calls") != std::string::npos);
  CHECK(text.find("at least $1.20") != std::string::npos);
  CHECK(text.find("4.0k tokens in (75% cached)") != std::string::npos);
  CHECK(text.find("2026-11-01 █  █ 2026-11-04") != std::string::npos);
  CHECK(text.find("refused by you") != std::string::npos);
  CHECK(text.find('\033') == std::string::npos);
  CHECK(text.find("bash") < text.size());
}

TEST_CASE("a screen reader gets no bars") {
  commands::TextForm form;
  form.look.labels = true;
  const std::string text = as_text(sample(), form);
  CHECK(text.find("█") == std::string::npos);
  CHECK(text.find("acme/small") != std::string::npos);
}

TEST_CASE("each grouping shows its own table") {
  commands::TextForm form{.by = insights::By::day};
  CHECK(as_text(sample(), form).find("acme/small") == std::string::npos);
  CHECK(as_text(sample(), form).find("2026-11-04  ") != std::string::npos);
  form.by = insights::By::tool;
  CHECK(as_text(sample(), form).find("bash") != std::string::npos);
}
