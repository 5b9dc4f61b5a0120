#include <doctest/doctest.h>

#include <string>

#include "core/insights/collect.h"
#include "core/insights/report.h"
#include "core/model/entry.h"
#include "core/model/payloads.h"
#include "core/model/tool.h"
#include "core/text/json.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using insights::By, insights::collect, insights::Insights;

namespace {

struct AnswerForm {
  std::string model = "m";
  std::string time = "2026-11-10T10:00:00.000Z";
  std::int64_t in = 10, out = 5, cached = 0;
  std::int64_t duration_ms = 0, first_ms = 0;
  std::string tool{};
};

store::NewEntry answers(const AnswerForm& form) {
  model::Message message{.role = model::Role::assistant, .content = {model::Text{"yes"}}};
  if (!form.tool.empty()) message.content.emplace_back(model::ToolUse{"call", form.tool});
  message.provider = "acme";
  message.model = form.model;
  message.usage = model::Usage{form.in, form.out, form.cached, 0, 0};
  message.duration_ms = form.duration_ms;
  message.first_token_ms = form.first_ms;
  store::NewEntry entry{model::message_entry(message)};
  entry.entry.timestamp = form.time;
  return entry;
}

store::NewEntry fails(const std::string& text) {
  store::NewEntry entry{
      model::message_entry({.role = model::Role::tool,
                            .content = {model::ToolResult{"call", {model::Text{text}}, true}}})};
  entry.entry.timestamp = "2026-11-10T10:00:01.000Z";
  return entry;
}

store::NewEntry asks(const std::string& time = "2026-11-10T09:59:00.000Z") {
  store::NewEntry entry = user_says("hello");
  entry.entry.timestamp = time;
  return entry;
}

// A dollar a token of `m`; nothing is known of others.
std::optional<insights::Cost> one_price(const std::string& model, const model::Usage& usage) {
  if (model != "acme/m") return std::nullopt;
  return insights::Cost{static_cast<double>(usage.output), false};
}

struct Home {
  TempDir dir{};
  store::SessionStore store = store_at((dir / "home").string());
};

}  // namespace

TEST_CASE("an answer counts once, whatever branches, forks and imports repeat it") {
  Home at;
  const Id session = session_called(at.store, "main:cli:one");
  append(at.store, session, {asks(), answers({})});
  const Id head = *at.store.open(session).state.head;
  append(at.store, session, {asks(), answers({.in = 100})});
  value_of(at.store.mark(session, model::payload::Head{head}));
  append(at.store, session, {asks(), answers({.in = 1000})});
  const Id fork = value_of(at.store.branch_from_entry(session, head)).session_id;
  append(at.store, fork, {asks(), answers({.in = 10'000})});
  // The same entry again, as an import into another session brings it.
  store::NewEntry again = answers({.in = 7});
  append(at.store, session_called(at.store, "main:cli:two"), {again});
  append(at.store, session_called(at.store, "main:cli:three"), {again});

  const Insights found = collect(at.store, {.prices = one_price});
  CHECK(found.all.sessions == 4);
  CHECK(found.all.calls == 5);
  CHECK(found.all.prompts == 4);
  CHECK(found.all.usage.input == 11'117);
  CHECK(found.all.usage.output == 25);
  CHECK(found.all.dollars == doctest::Approx(25));
  CHECK(cost_text(found.all) == "$25.00");
  CHECK(found.models.at("acme/m").calls == 5);
  CHECK(found.days.at("2026-11-10").calls == 5);
  CHECK(found.weeks.at("2026-11-09").calls == 5);
}

TEST_CASE("what has no price leaves a cost that is at least something, or unknown") {
  Home at;
  const Id session = session_called(at.store, "main:cli:one");
  append(at.store, session, {asks(), answers({.model = "other"})});
  CHECK(cost_text(collect(at.store, {.prices = one_price}).all) == "unknown");
  append(at.store, session, {answers({})});
  const Insights found = collect(at.store, {.prices = one_price});
  CHECK(cost_text(found.all) == "at least $5.00");
  const auto json = parse_json(as_json(found, By::overview, 0));
  REQUIRE(json);
  CHECK((*json)["cost_usd"].is_null());
  CHECK((*json)["cost_usd_at_least"] == 5.0);
  CHECK(cost_text(insights::Tally{}) == "-");
}

TEST_CASE("only what was said since a time counts, but a call before it names its result") {
  Home at;
  const Id session = session_called(at.store, "main:cli:one");
  append(at.store, session,
         {asks("2026-11-01T00:00:00.000Z"),
          answers({.time = "2026-11-01T00:00:01.000Z", .tool = "bash"}), fails("broken")});
  const Insights found = collect(at.store, {.since = "2026-11-05T00:00:00.000Z"});
  CHECK(found.all.calls == 0);
  CHECK(found.all.prompts == 0);
  CHECK(found.tools.at("bash").calls == 0);
  CHECK(found.tools.at("bash").failures == 1);
  CHECK(collect(at.store, {.since = "2026-12-01T00:00:00.000Z"}).all.sessions == 0);
}

TEST_CASE("tools are counted by name, and a refusal is no failure") {
  Home at;
  const Id session = session_called(at.store, "main:cli:one");
  append(at.store, session,
         {asks(), answers({.tool = "bash"}), fails("exit status 1"), answers({.tool = "edit"}),
          fails(std::string(model::refusal_opening)), answers({.tool = "edit"})});
  const Insights found = collect(at.store, {});
  CHECK(found.tools.at("bash").failures == 1);
  CHECK(found.tools.at("edit").calls == 2);
  CHECK(found.tools.at("edit").failures == 0);
  CHECK(found.tools.at("edit").refusals == 1);
  CHECK(insights::tools_of(found).front().name == "edit");
}

TEST_CASE("speed is of the stream where its beginning is known, and unknown stays unknown") {
  Home at;
  const Id session = session_called(at.store, "main:cli:one");
  append(at.store, session, {asks(), answers({})});
  Insights found = collect(at.store, {});
  CHECK_FALSE(insights::median_first_token_ms(found.all).has_value());
  CHECK_FALSE(insights::tokens_per_second(found.all).has_value());
  append(at.store, session,
         {answers({.out = 100, .duration_ms = 3000, .first_ms = 1000}),
          answers({.out = 50, .duration_ms = 1000})});
  found = collect(at.store, {});
  CHECK(insights::median_first_token_ms(found.all) == 1000);
  CHECK(*insights::tokens_per_second(found.all) == doctest::Approx(50));
}

TEST_CASE("a question beside the conversation was paid for, and is no prompt") {
  Home at;
  const Id session = session_called(at.store, "main:cli:one");
  append(at.store, session, {asks(), answers({})});
  const Insights before = collect(at.store, {});
  model::Aside aside{.question = "why?", .answer = "so", .provider = "acme", .model = "m"};
  aside.usage = model::Usage{40, 2, 0, 0, 0};
  append(at.store, session, {{model::aside_entry(aside)}});
  const Insights found = collect(at.store, {});
  CHECK(found.all.prompts == before.all.prompts);
  CHECK(found.all.calls == before.all.calls + 1);
  CHECK(found.all.usage.input == before.all.usage.input + 40);
  CHECK(found.models.at("acme/m").usage.output == before.models.at("acme/m").usage.output + 2);
}

TEST_CASE("a summary that a model wrote was paid for") {
  Home at;
  const Id session = session_called(at.store, "main:cli:one");
  append(at.store, session, {asks(), answers({})});
  model::payload::CompactionSummary summary{.summary = "short", .provider = "acme", .model = "m"};
  summary.usage = model::Usage{40, 2, 0, 0, 0};
  append(at.store, session, {{model::make_entry(summary)}});
  const Insights found = collect(at.store, {});
  CHECK(found.all.calls == 1);
  CHECK(found.all.summaries == 1);
  CHECK(found.all.usage.input == 50);
}

TEST_CASE("days in a row are found, also while today is not over") {
  Insights found;
  for (const char* day : {"2026-11-01", "2026-11-02", "2026-11-03", "2026-11-14", "2026-11-15"})
    found.days[day].prompts = 1;
  const std::int64_t now = *ms_from_utc("2026-11-16T08:00:00.000Z");
  CHECK(streaks_of(found, now).longest == 3);
  CHECK(streaks_of(found, now).current == 2);
  CHECK(streaks_of(found, now + 24 * 60 * 60 * 1000).current == 0);
  CHECK(calendar_of(found, 5).size() == 5);
  CHECK(calendar_of(found, 100).size() == 15);
  CHECK(calendar_of(found, 100)[5].tally == nullptr);
}

TEST_CASE("the page for a browser has no script and takes no text for markup") {
  Home at;
  const Id session = session_called(at.store, "main:cli:one");
  append(at.store, session,
         {asks(), answers({.model = "<script>alert(1)</script>", .tool = "<b>\"x'&"})});
  const std::string page = as_html(collect(at.store, {}), now_ms());
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("<b>\"x") == std::string::npos);
  CHECK(page.find("&lt;script&gt;") != std::string::npos);
  CHECK(page.find("<svg") != std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("prefers-color-scheme:dark") != std::string::npos);
}

TEST_CASE("the page draws days only if there are several, and counts one as one") {
  Insights found;
  found.all.sessions = 1;
  found.all.prompts = 2;
  found.days["2026-11-14"].prompts = 2;
  const std::int64_t now = *ms_from_utc("2026-11-15T08:00:00.000Z");
  std::string page = as_html(found, now);
  CHECK(page.find("<b>1</b><span>session<") != std::string::npos);
  CHECK(page.find("<b>2</b><span>prompts<") != std::string::npos);
  CHECK(page.find("in a row") == std::string::npos);
  CHECK(page.find("Prompts a day") == std::string::npos);
  found.days["2026-11-15"].prompts = 1;
  page = as_html(found, now);
  CHECK(page.find("<b>2</b><span>days in a row<") != std::string::npos);
  CHECK(page.find("Prompts a day") != std::string::npos);
  CHECK(page.find("text-anchor=\"end\">2026-11-15<") != std::string::npos);
}

TEST_CASE("a call that failed on two branches is one call that failed") {
  Home at;
  const Id session = session_called(at.store, "main:cli:one");
  append(at.store, session, {asks(), answers({.tool = "read"})});
  const Id call = *at.store.open(session).state.head;
  append(at.store, session, {fails("no such file")});
  value_of(at.store.mark(session, model::payload::Head{call}));
  append(at.store, session, {fails("interrupted"), asks()});
  const Insights found = collect(at.store, {});
  CHECK(found.tools.at("read").calls == 1);
  CHECK(found.tools.at("read").failures == 1);
}
