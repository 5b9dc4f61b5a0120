#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/insights/cache_report.h"
#include "core/model/entry.h"
#include "core/model/payloads.h"
#include "core/text/json.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using insights::CacheReport, insights::CacheUse, insights::Cost, insights::MissCause;

namespace {

// Dollars per million tokens: 3 to send, 0.30 to read from the cache, 15 to write. Of acme alone.
std::optional<Cost> prices(const std::string& model, const model::Usage& usage) {
  if (!model.starts_with("acme/")) return std::nullopt;
  const auto millions = [](std::int64_t tokens) { return static_cast<double>(tokens) / 1e6; };
  return Cost{3 * millions(usage.input + usage.cache_write) + 0.3 * millions(usage.cache_read) +
                  15 * millions(usage.output),
              false};
}

// A session that is written entry by entry, and what the report says of each answer.
struct Script {
  CacheReport report{prices};
  std::int64_t now = 1'790'000'000'000;
  std::optional<Id> head{};
  model::Position written = 0;

  std::optional<CacheUse> write(model::Entry entry) {
    entry.parent = head;
    entry.timestamp = utc_from_ms(now);
    const auto use = report.add(model::facts_of(entry, ++written));
    if (!model::is_marginal(entry.type)) head = entry.id;
    return use;
  }
  void step(model::Payload payload) { write(model::make_entry(std::move(payload))); }

  // A prompt, and an answer a second later.
  CacheUse turn(const model::Usage& usage, const std::string& model = "m",
                const std::string& provider = "acme") {
    write(model::message_entry(model::user_message("go on")));
    now += 1000;
    model::Message answer{.role = model::Role::assistant, .content = {model::Text{"yes"}}};
    answer.provider = provider;
    answer.model = model;
    answer.usage = usage;
    answer.duration_ms = 1000;
    const std::optional<CacheUse> use = write(model::message_entry(answer));
    REQUIRE(use);
    return *use;
  }
};

model::Usage usage(std::int64_t input, std::int64_t read, std::int64_t written = 0) {
  return {.input = input, .output = 100, .cache_read = read, .cache_write = written};
}

// What the second of two turns with 100,000 tokens misses entirely when this happens between them.
template <class Between>
CacheUse missed_after(const Between& between, const std::string& model = "m") {
  Script script;
  const CacheUse first = script.turn(usage(0, 0, 100'000));
  CHECK(first.expected == 0);
  CHECK_FALSE(first.cause);
  between(script);
  return script.turn(usage(0, 0, 100'500), model);
}

}  // namespace

TEST_CASE("what was read from the cache is not missed") {
  Script script;
  script.turn(usage(10, 0, 100'000));
  const CacheUse use = script.turn(usage(10, 100'000, 500));
  CHECK(use.expected == 100'010);
  CHECK(use.missed == 0);
  CHECK_FALSE(use.cause);
  CHECK(use.cost->dollars == doctest::Approx(0.03 + 3 * 510e-6 + 15 * 100e-6));
}

TEST_CASE("each cause of a miss has its name, its entry and its price") {
  std::optional<Id> step;
  const auto marks = [&](model::Payload payload) {
    return [&step, payload](Script& script) {
      model::Entry entry = model::make_entry(payload);
      step = entry.id;
      script.write(entry);
    };
  };
  const auto check = [&](const CacheUse& use, MissCause cause) {
    CAPTURE(name(cause));
    CHECK(use.cause == cause);
    CHECK(use.expected == 100'000);
    CHECK(use.missed == 100'000 - 1024);
    CHECK(std::lround(use.extra->dollars * 1e6) == std::lround(98'976 * 2.7));
    CHECK(use.step == step);
    step.reset();
  };
  namespace payload = model::payload;
  check(missed_after([](Script&) {}), MissCause::service);
  check(missed_after([](Script& script) { script.now += 18 * 60 * 1000; }), MissCause::expired);
  check(missed_after(marks(payload::ModelChange{"acme", "n", ""}), "n"), MissCause::model_change);
  check(missed_after(marks(payload::Redaction{random_id(), ""})), MissCause::redaction);
  check(missed_after(marks(payload::RuntimeInit{.system = "new"})), MissCause::runtime_init);
  check(missed_after(marks(payload::SystemPromptOverride{"new"})), MissCause::runtime_init);
  check(missed_after(marks(payload::ThinkingLevelChange{"high"})),
        MissCause::thinking_level_change);
  check(missed_after(marks(payload::ThinkingOffBefore{random_id()})),
        MissCause::thinking_level_change);
  check(missed_after(marks(payload::CompactionSummary{.summary = "before", .first_kept = {}})),
        MissCause::compaction_summary);
  check(missed_after([&](Script& script) {
          model::Entry entry = model::make_entry(payload::RuntimeInit{.system = "same"});
          entry.meta = R"({"drop":true})";
          step = entry.id;
          script.write(entry);
        }),
        MissCause::drop);
  // Another model answers although none was chosen, as the model for plans does.
  check(missed_after([](Script&) {}, "other"), MissCause::model_change);
  // A choice that was taken back changes nothing.
  check(missed_after([](Script& script) {
          script.step(payload::ModelChange{"acme", "n", ""});
          script.step(payload::ModelChange{"acme", "m", ""});
        }),
        MissCause::service);
  // The system prompt is rendered again because of the redaction.
  const auto redacts = marks(payload::Redaction{random_id(), ""});
  check(missed_after([&](Script& script) {
          script.step(payload::RuntimeInit{.system = "new"});
          redacts(script);
        }),
        MissCause::redaction);
}

TEST_CASE("a shorter request expects no more than it sends") {
  Script script;
  script.turn(usage(0, 0, 100'000));
  const CacheUse use = script.turn(usage(0, 2'000, 10'000));
  CHECK(use.expected == 12'000);
  CHECK(use.missed == 12'000 - 2'000 - 1024);
}

TEST_CASE("an answer expects what the request before it on its own branch sent") {
  Script script;
  script.turn(usage(0, 0, 10'000));
  const std::optional<Id> fork = script.head;
  script.turn(usage(0, 10'000, 90'000));
  script.head = fork;
  const CacheUse use = script.turn(usage(0, 10'000, 500));
  CHECK(use.expected == 10'000);
  CHECK(use.missed == 0);
}

TEST_CASE("a service that shows no cache misses nothing") {
  Script script;
  script.turn(usage(100'000, 0));
  const CacheUse use = script.turn(usage(100'500, 0));
  CHECK(use.expected == 0);
  CHECK_FALSE(use.cause);
  // Of a service whose cache was seen the unknown price is unknown.
  script.turn(usage(0, 100'500), "m", "other");
  const CacheUse other = script.turn(usage(100'500, 0), "m", "other");
  CHECK(other.cause == MissCause::service);
  CHECK_FALSE(other.extra);
  CHECK(insights::is_large_miss(other));
  CHECK(insights::miss_text(other) ==
        "cache missed 99.5k tokens (the service did not use its cache)");
}

TEST_CASE("what is said of a miss") {
  const CacheUse use = missed_after([](Script& script) { script.now += 18 * 60 * 1000; });
  CHECK(insights::miss_text(use) ==
        "cache missed 99.0k tokens (the cache expired: 18 min 0 s since the last request) · $0.27");
  const auto json = parse_json(as_json(use));
  REQUIRE(json);
  CHECK(string_at(*json, "cause") == "expired");
  CHECK(int_at(*json, "missed") == 98'976);
  CHECK(string_at(*json, "entry") == to_string(use.answer));
  Script script;
  script.turn(usage(0, 0, 100'000));
  CHECK_FALSE(insights::is_large_miss(script.turn(usage(0, 96'000, 4'500))));
}

// Sessions that grow, branch and go back, with a server that has read all that it was sent less
// than five minutes ago: nothing is missed, whatever the tokens are.
TEST_CASE("with a perfect cache nothing is missed in 10,000 random sessions") {
  std::mt19937_64 random(20261118);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  std::int64_t answers = 0, served = 0;
  for (int session = 0; session < 10'000; ++session) {
    Script script;
    struct Sent {
      std::optional<Id> head{};
      std::int64_t tokens = 0;
    };
    std::vector<Sent> sent{{}};
    for (std::int64_t left = 1 + below(12); left > 0; --left) {
      const Sent from =
          below(4) == 0
              ? sent[static_cast<std::size_t>(below(static_cast<std::int64_t>(sent.size())))]
              : sent.back();
      script.head = from.head;
      script.now += below(20'000);
      const std::int64_t more = 1 + below(50'000);
      const CacheUse use = script.turn(usage(below(2) * more, from.tokens, more));
      const std::int64_t whole = model::whole_input(use.usage);
      CHECK(use.missed == 0);
      CHECK(use.expected <= from.tokens);
      served += use.expected;
      ++answers;
      sent.push_back({script.head, whole});
    }
  }
  CHECK(answers > 50'000);
  CHECK(served > 0);
}

TEST_CASE("the answers of the last turn are found from the end of the session") {
  TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());
  const Id session = session_called(store, "main:cli:one");
  const auto say = [&](const std::string& time, const std::optional<model::Usage>& used) {
    model::Message message = model::user_message("go on");
    if (used) {
      message = {.role = model::Role::assistant, .content = {model::Text{"yes"}}};
      message.provider = "acme";
      message.model = "m";
      message.usage = used;
    }
    store::NewEntry entry{model::message_entry(message)};
    entry.entry.timestamp = "2026-11-10T" + time + ".000Z";
    append(store, session, {entry});
  };
  say("10:00:00", {});
  say("10:00:10", usage(0, 0, 50'000));
  say("10:01:00", {});
  say("10:01:05", usage(0, 50'000, 50'000));
  say("10:02:00", {});
  say("10:02:05", usage(0, 0, 100'500));
  say("10:02:10", usage(0, 100'500, 500));
  const Id head = *store.open(session).state.head;
  const auto uses = insights::uses_since(store, session, head, "2026-11-10T10:02:00.000Z", prices);
  REQUIRE(uses.size() == 2);
  CHECK(uses[0].expected == 100'000);
  CHECK(uses[0].cause == MissCause::service);
  CHECK_FALSE(uses[1].cause);
  CHECK(insights::uses_since(store, session, head, "2026-11-11", prices).empty());
}
