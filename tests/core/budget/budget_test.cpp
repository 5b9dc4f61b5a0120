#include "core/budget/budget.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/text/io.h"
#include "core/text/json.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::budget;
using namespace skein::test;

namespace {

const Id session{1}, other{2};
constexpr double tolerance = 1e-9;
constexpr std::int64_t noon = 1'795'000'000'000;  // some time in November 2026

bool near(double a, double b) { return a - b < tolerance && b - a < tolerance; }

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The sum in the file of a day; -1: it is not there or damaged.
double sum_in_file(const std::string& file) {
  const Json sum = at(parse_json(read_small_file(file, 4096)).value_or(Json()), "dollars");
  return sum.is_number() ? sum.get<double>() : -1;
}

// A log that outlives the process, and what is spent of it.
struct Day {
  TempDir dir{};
  std::string file = (dir / "state/spending.json").string();
  double logged = 0;
  std::string since{};  // what was last asked for
  std::int64_t now = noon;
  int read = 0;  // how often the logs were

  Budget budget(double limit = 10) {
    return Budget({.limits = {.day = limit},
                   .day_file = file,
                   .logged =
                       [this](const std::string& from) {
                         ++read;
                         since = from;
                         return logged;
                       },
                   .now = [this] { return now; }});
  }
};

void spend(Budget& budget, double most, double spent) {
  const Reservation held = budget.reserve(session, "a/b", most);
  REQUIRE(held.refusal == "");
  budget.replace(held, spent);
}

}  // namespace

TEST_CASE(
    "a call that might reach a limit is refused, and the answer's cost takes the place of it") {
  Budget budget({.limits = {.turn = 1}});
  budget.begin_turn(session, 0);
  const Reservation first = budget.reserve(session, "a/b", 0.6);
  CHECK(first.refusal == "");
  CHECK(budget.reserve(session, "a/b", 0.4).refusal ==
        "the limit of $1.00 for one turn is reached: $0.60 is used, and the next call may cost "
        "$0.40; --max-usd, or turn-usd in [budget], raises it");
  budget.replace(first, 0.1);
  CHECK(near(budget.used(session), 0.1));
  spend(budget, 0.4, 0.4);
  CHECK_FALSE(budget.reserve(session, "a/b", 0.51).refusal.empty());
  budget.begin_turn(session, 0);  // a turn has a limit of its own, the session keeps what it cost
  spend(budget, 0.5, 0.5);
  CHECK(near(budget.used(session), 1));
}

TEST_CASE(
    "without a limit nothing is refused, and without a price every limit in dollars refuses") {
  Budget none({});
  CHECK(none.reserve(session, "a/b", std::nullopt).refusal == "");
  Budget time({.limits = {.turn_ms = 60'000}});
  CHECK(time.reserve(session, "a/b", std::nullopt).refusal == "");
  Budget dollars({.limits = {.session = 1}});
  CHECK(dollars.reserve(session, "a/b", std::nullopt).refusal ==
        "the price of a/b is not known, so session-usd cannot be checked; set input and output in "
        "[models.\"a/b\"]");
}

TEST_CASE("sub-agents use the session that started them; other sessions have their own sum") {
  Budget budget({.limits = {.session = 1}});
  const Id child{7};
  budget.add_child(child, session);
  const Reservation held = budget.reserve(child, "a/b", 0.7);
  CHECK(near(budget.used(session), 0.7));
  CHECK(has(budget.reserve(session, "a/b", 0.4).refusal, "for this session is reached"));
  CHECK(budget.reserve(other, "a/b", 0.4).refusal == "");
  budget.replace(held, 0.2);
  CHECK(near(budget.used(session), 0.2));
  budget.begin_turn(session, 0.5);  // the log knows of more
  CHECK(near(budget.used(session), 0.5));
  budget.begin_turn(session, 0.1);  // and never lowers it
  CHECK(near(budget.used(session), 0.5));
}

TEST_CASE("a limit is announced once in a turn, when 80 % of it are used") {
  Budget budget({.limits = {.turn = 1, .session = 10}});
  budget.begin_turn(session, 0);
  spend(budget, 0.1, 0.79);
  CHECK(budget.warnings(session).empty());
  spend(budget, 0.1, 0.02);
  CHECK(budget.warnings(session) ==
        std::vector<std::string>{"$0.81 of the limit of $1.00 for one turn is used"});
  CHECK(budget.warnings(session).empty());
  CHECK(budget.summary(session, 0) == "turn-usd $0.81 of $1.00 · session-usd $0.81 of $10.00");
  budget.begin_turn(session, 0);
  CHECK(budget.warnings(session).empty());
}

TEST_CASE("the time of a turn is limited, and passes while no question is open") {
  CHECK(parse_time_limit("--time", "90s") == 90'000);
  CHECK(parse_time_limit("--time", "10m") == 600'000);
  CHECK(parse_time_limit("--time", "2h") == 7'200'000);
  for (const char* wrong : {"", "s", "10", "1.5h", "-1s", "0s", "10 m"})
    CHECK_THROWS_AS(parse_time_limit("--time", wrong), Error);
  Budget budget({.limits = {.turn_ms = 500}});
  budget.begin_turn(session, 0);
  budget.begin_wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  CHECK(budget.reserve(session, "a/b", 1).refusal == "");
  budget.end_wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  CHECK(has(budget.reserve(session, "a/b", 1).refusal, "--time, or turn-time in [budget]"));
  budget.begin_turn(session, 0);
  CHECK(budget.reserve(session, "a/b", 1).refusal == "");
}

TEST_CASE("eight threads never reserve more than the limit") {
  Day day;
  Budget budget({.limits = {.turn = 1, .session = 1.5, .day = 2}, .day_file = day.file});
  budget.begin_turn(session, 0);
  std::atomic<int> made{0}, refused{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 8; ++i)
    threads.emplace_back([&, child = Id{100 + i}] {
      budget.add_child(child, session);
      for (int call = 0; call < 20; ++call) {
        const Reservation held = budget.reserve(child, "a/b", 0.05);
        if (!held.refusal.empty()) {
          ++refused;
          continue;
        }
        if (budget.used(session) >= 1) over = true;
        budget.replace(held, 0.03);
        ++made;
      }
    });
  for (std::thread& each : threads) each.join();
  CHECK_FALSE(over);
  CHECK(made >= 19);  // seven others have reserved at most $0.35
  CHECK(refused > 0);
  CHECK(made + refused == 160);
  CHECK(near(budget.used(session), made * 0.03));
  CHECK(near(sum_in_file(day.file), made * 0.03));
}

TEST_CASE("the sum of a day is the same for all processes") {
  Day day;
  Budget one = day.budget(), two = day.budget();
  spend(one, 5, 3);
  spend(two, 5, 4);
  CHECK(near(sum_in_file(day.file), 7));
  CHECK(
      has(one.reserve(session, "a/b", 3).refusal, "the limit of $10.00 for today is reached: $7"));
  // A process that is killed has spent all that it reserved.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Budget killed = day.budget();
    const bool held = killed.reserve(other, "a/b", 2).refusal.empty();
    _exit(held ? 0 : 1);
  }
  CHECK(wait_for_child(child) == 0);
  CHECK(near(sum_in_file(day.file), 9));
  CHECK(has(two.reserve(session, "a/b", 1).refusal, "for today is reached"));
}

TEST_CASE("the sum of a day is rebuilt from the logs if its file is lost or damaged") {
  Day day;
  day.logged = 2;
  Budget budget = day.budget();
  spend(budget, 1, 1);
  CHECK(near(sum_in_file(day.file), 3));  // what was spent without a limit counts as well
  CHECK(day.read == 1);
  CHECK(ms_from_utc(day.since).value() <= noon);
  CHECK(noon - ms_from_utc(day.since).value() < 25 * 3'600'000);
  day.logged = 3;
  for (const char* damage : {"", "{", "[]", "{\"date\":\"2026-11-18\",\"dollars\":-4}", "\0\xff"}) {
    CAPTURE(damage);
    const Reservation open = budget.reserve(session, "a/b", 1);
    REQUIRE(replace_small_file(day.file, damage));
    CHECK(has(day.budget().summary(other, 0), "day-usd $3.00"));  // another process is first
    std::filesystem::remove(day.file);
    CHECK(has(budget.summary(session, 0), "day-usd $4.00 of $10.00"));  // with what is reserved
    budget.replace(open, 0);
    CHECK(near(sum_in_file(day.file), 3));
  }
  // A file of another day does not count, nor does what was spent then.
  day.now += 86'400'000;
  day.logged = 0.5;
  CHECK(has(budget.summary(session, 0), "day-usd $0.50 of $10.00"));
}

TEST_CASE("an answer that comes after midnight counts for the new day") {
  Day day;
  Budget budget = day.budget();
  const Reservation held = budget.reserve(session, "a/b", 4);
  day.now += 86'400'000;
  budget.replace(held, 1);
  CHECK(near(sum_in_file(day.file), 1));
}

TEST_CASE("a limit of the day that cannot be kept refuses the call") {
  TempDir dir;
  REQUIRE(replace_small_file((dir / "file").string(), "x"));
  Budget nowhere({.limits = {.day = 1}});
  CHECK(has(nowhere.reserve(session, "a/b", 0.1).refusal, "set HOME or XDG_STATE_HOME"));
  Budget blocked({.limits = {.day = 1}, .day_file = (dir / "file/spending.json").string()});
  CHECK_FALSE(blocked.reserve(session, "a/b", 0.1).refusal.empty());
  Budget unread({.limits = {.day = 1},
                 .day_file = (dir / "spending.json").string(),
                 .logged = [](const std::string&) -> double { throw Error("no list"); }});
  CHECK(unread.reserve(session, "a/b", 0.1).refusal == "no list");
}

// A process is killed by dropping its object: the log and the file of the day are what is left.
TEST_CASE("failing, stopping, rewinding and killing never lower what was spent") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto dollars_up_to = [&](double most) {
      return std::uniform_real_distribution<>(0, most)(random);
    };
    Day day;
    double log = 0, killed = 0;
    const SpendingLimits limits{.turn = 2, .session = 4, .day = 6};
    const auto start = [&] {
      auto made = std::make_unique<Budget>(
          Budget::Parts{.limits = limits, .day_file = day.file, .logged = [&](const std::string&) {
                          return log;
                        }});
      made->begin_turn(session, log);
      return made;
    };
    std::unique_ptr<Budget> budget = start();
    for (int step = 0; step < 30; ++step) {
      const double before = budget->used(session), of_day = sum_in_file(day.file);
      const double most = dollars_up_to(0.5);
      const int what = static_cast<int>(random() % 5);
      if (what == 0) budget->begin_turn(session, log);  // paused or rewound: the log stays
      const Reservation held = budget->reserve(session, "a/b", most);
      if (!held.refusal.empty()) {
        if (what == 1) budget = start();
      } else if (what == 1) {  // killed during the call
        killed += most;
        budget = start();
      } else {
        const double spent = what == 2 ? 0 : dollars_up_to(most);  // 2: it failed
        budget->replace(held, spent);
        log += spent;
      }
      CHECK(budget->used(session) >= before - tolerance);
      CHECK(near(budget->used(session), log));
      CHECK(sum_in_file(day.file) >= of_day - tolerance);
      CHECK(near(sum_in_file(day.file), log + killed));
      CHECK(log < limits.session);
      CHECK(log + killed < limits.day);
    }
  }
}
