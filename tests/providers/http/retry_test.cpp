#include "providers/http/retry.h"

#include <doctest/doctest.h>

#include <thread>

using namespace skein;
using namespace skein::http;
using namespace std::chrono_literals;
using End = HttpResponse::End;

namespace {

constexpr std::int64_t now = 784'111'777'000;  // Sun, 06 Nov 1994 08:49:37 GMT

HttpResponse status(int code, HttpHeaders headers = {}) {
  return {.status = code, .headers = std::move(headers)};
}

RetryPlan first(const HttpResponse& response, std::string_view body = "") {
  return plan_retry(response, body, {}, 0, now, 1s);
}

const RetryPlan no{};

}  // namespace

TEST_CASE("what may pass is tried again, what will not is not") {
  for (const int code : {408, 409, 429, 500, 502, 503, 504, 529}) CHECK(first(status(code)).again);
  for (const int code : {200, 400, 401, 402, 403, 404, 413, 422}) CHECK(first(status(code)) == no);
  CHECK(first({.end = End::unreachable, .again = true}).again);
  CHECK(first({.end = End::cut, .status = 200, .again = true}).again);
  CHECK(first({.end = End::unreachable, .again = false}) == no);
  CHECK(first({.end = End::stopped, .again = true}) == no);
  CHECK(first({.end = End::refused}) == no);
}

TEST_CASE("an empty account is not asked again") {
  CHECK(first(status(429), R"({"error":{"code":"insufficient_quota"}})") == no);
  CHECK(first(status(429), R"({"error":{"code":"rate_limit_exceeded"}})").again);
}

TEST_CASE("x-should-retry overrules the status in both directions") {
  CHECK(first(status(400, {{"x-should-retry", "true"}})).again);
  CHECK(first(status(500, {{"x-should-retry", "false"}})) == no);
}

TEST_CASE("waits double, lose at most a quarter, and come to two minutes") {
  const auto plan = [](int retries, double jitter) {
    return plan_retry(status(500), "", {.retries = retries}, jitter, now, 1s);
  };
  std::chrono::milliseconds whole{};
  for (int retries = 0; plan(retries, 0).again; ++retries) whole += plan(retries, 0).wait;
  CHECK(whole == 121s);
  CHECK(plan(0, 0) == RetryPlan{true, 1s});
  CHECK(plan(1, 0) == RetryPlan{true, 2s});
  CHECK(plan(1, 1) == RetryPlan{true, 1500ms});
  CHECK(plan(4, 0) == RetryPlan{true, 16s});
  CHECK(plan(7, 0) == RetryPlan{true, 30s});
  CHECK(plan(8, 0) == no);
}

TEST_CASE("the wait a provider asks for is the wait, in each of its spellings") {
  CHECK(first(status(429, {{"retry-after-ms", "1500"}, {"retry-after", "9"}})).wait == 1500ms);
  CHECK(first(status(429, {{"retry-after", "7"}})).wait == 7s);
  CHECK(first(status(429, {{"retry-after", "0.25"}})).wait == 250ms);
  CHECK(first(status(429, {{"retry-after", "Sun, 06 Nov 1994 08:49:57 GMT"}})).wait == 20s);
  CHECK(first(status(429), R"({"error":{"details":[{},{"retryDelay":"12s"}]}})").wait == 12s);
  CHECK(first(status(429), R"([{"error":{"details":[{"retryDelay":"1.5s"}]}}])").wait == 1500ms);
}

TEST_CASE("a wait that makes no sense is replaced by our own") {
  for (const char* text : {"", "soon", "-5", "nan", "inf", "1e999", "12 s", "0x10",
                           "Sun, 06 Nov 1994 08:49:07 GMT", "Sun, 06 Foo 1994 08:49:57 GMT"}) {
    CAPTURE(std::string(text));
    CHECK(first(status(429, {{"retry-after", text}})) == RetryPlan{true, 1s});
  }
}

TEST_CASE("an absurd wait is refused and told") {
  const auto refusal = [](const char* after) {
    const RetryPlan plan = first(status(429, {{"retry-after", after}}));
    CHECK_FALSE(plan.again);
    return plan.refusal;
  };
  CHECK(refusal("61") == "the provider asks to wait 61 s before the next try");
  CHECK(refusal("3600") == "the provider asks to wait 60 min before the next try");
  CHECK(refusal("36000") == "the provider asks to wait 10 h before the next try");
  CHECK(refusal("1e300") == "the provider asks to wait 11575 days before the next try");
  CHECK(refusal("Sat, 06 Nov 2094 08:49:57 GMT") ==
        "the provider asks to wait 36526 days before the next try");
}

TEST_CASE("waits that a provider asks for come to two minutes as well") {
  Tried tried;
  for (;; ++tried.retries) {
    const RetryPlan plan = plan_retry(status(429, {{"retry-after", "50"}}), "", tried, 0, now, 1s);
    if (!plan.again) break;
    tried.waited += plan.wait;
  }
  CHECK(tried.retries == 3);
  CHECK(tried.waited == 150s);
}

TEST_CASE("a wait counts down and ends by itself") {
  std::vector<model::Retrying> told;
  model::Ports ports;
  ports.sink = [&](const model::Event& event) { told.push_back(std::get<model::Retrying>(event)); };
  CHECK(wait_to_retry(50ms, 2, "503", ports));
  REQUIRE(told.size() == 1);
  CHECK(told[0].attempt == 2);
  CHECK(told[0].reason == "503");
  CHECK(told[0].wait <= 50ms);
}

TEST_CASE("a stop ends a wait at once") {
  std::atomic<bool> stop{false};
  model::Ports ports;
  ports.stop = &stop;
  ports.sink = [&](const model::Event&) { stop = true; };
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(wait_to_retry(60s, 1, "", ports));
  CHECK(std::chrono::steady_clock::now() - start < 20s);
}

TEST_CASE("a wait is announced once, however long it takes") {
  int announced = 0;
  model::Ports ports;
  ports.sink = [&](const model::Event& event) {
    announced += std::holds_alternative<model::Retrying>(event);
  };
  CHECK(wait_to_retry(1100ms, 1, "busy", ports));
  CHECK(announced == 1);
}
