// Whether and when a failed request is sent again. The plan is a pure function; only the wait is
// not. Never used once a delta has been shown.
#pragma once

#include "core/model/event.h"
#include "providers/http/http.h"

namespace skein::http {

// With our own waits about two minutes in all: most overloads are over by then.
inline constexpr int max_retries = 8;
// The same limit for waits that a provider asks for. One longer than `longest_wait` is not waited
// for: the user sees it and decides.
inline constexpr std::chrono::milliseconds longest_wait{60'000}, most_waiting{120'000};

// What a request has been through so far.
struct Tried {
  int retries = 0;
  std::chrono::milliseconds waited{};
};

struct RetryPlan {
  bool again = false;
  std::chrono::milliseconds wait{};
  std::string refusal{};  // what the user should know about a wait that is too long
  bool operator==(const RetryPlan&) const = default;
};

// After `tried`, `response` came, with `body` (an error's). `jitter` in [0, 1) shortens the wait of
// our own choice, `first` at first, by up to a quarter; `now` in ms since 1970 is for dates.
RetryPlan plan_retry(const HttpResponse& response, std::string_view body, const Tried& tried,
                     double jitter, std::int64_t now, std::chrono::milliseconds first);

// Counts down, telling ports.sink every second, and watches the keyboard. False: stopped.
bool wait_to_retry(std::chrono::milliseconds wait, int attempt, const std::string& reason,
                   const model::Ports& ports);

}  // namespace skein::http
