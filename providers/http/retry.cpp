#include "providers/http/retry.h"

#include <ctime>

#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::http {

namespace {

using Milliseconds = std::chrono::milliseconds;

// Waiting does not fill an empty account.
constexpr std::string_view hopeless[] = {"insufficient_quota", "billing_not_active",
                                         "billing_hard_limit_reached", "credit balance is too low",
                                         "PerDay"};

std::optional<double> number(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value >= 0 && std::isfinite(*value) ? value : std::nullopt;
}

Milliseconds from_seconds(double seconds) {
  return Milliseconds(static_cast<std::int64_t>(std::min(seconds, 1e9) * 1000));
}

// "Sun, 06 Nov 1994 08:49:37 GMT", in ms since 1970.
std::optional<std::int64_t> http_date(const std::string& text) {
  std::tm date{};
  if (strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S", &date) == nullptr) return std::nullopt;
  return static_cast<std::int64_t>(timegm(&date)) * 1000;
}

// Gemini puts it into the body: error.details[].retryDelay = "12s".
std::optional<double> retry_delay(std::string_view body) {
  if (body.find("retryDelay") == std::string_view::npos) return std::nullopt;
  const auto parsed = parse_json(body);
  if (!parsed) return std::nullopt;
  const Json& root = parsed->is_array() && !parsed->empty() ? parsed->front() : *parsed;
  for (const Json& detail : at(at(root, "error"), "details"))
    if (const std::string delay = string_at(detail, "retryDelay"); delay.ends_with('s'))
      return number(std::string_view(delay).substr(0, delay.size() - 1));
  return std::nullopt;
}

// What the provider asks for, if it does so in a way that makes sense.
std::optional<Milliseconds> asked_wait(const HttpResponse& response, std::string_view body,
                                       std::int64_t now) {
  if (const auto ms = number(header_value(response.headers, "retry-after-ms")))
    return from_seconds(*ms / 1000);
  const std::string_view after = header_value(response.headers, "retry-after");
  if (const auto seconds = number(after)) return from_seconds(*seconds);
  if (const auto date = http_date(std::string(after)))
    return *date > now ? std::optional(Milliseconds(*date - now)) : std::nullopt;
  if (const auto delay = retry_delay(body)) return from_seconds(*delay);
  return std::nullopt;
}

// 1, 2, 4, 8, 16 and then 30 times the first.
Milliseconds own_wait(int retries, double jitter, Milliseconds first) {
  const double times = std::min(std::exp2(retries), 30.0);
  return from_seconds(times * (1 - 0.25 * jitter) * static_cast<double>(first.count()) / 1000);
}

std::string in_words(Milliseconds wait) {
  const auto seconds = (wait.count() + 999) / 1000;
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) return std::to_string((seconds + 59) / 60) + " min";
  if (seconds < 172'800) return std::to_string((seconds + 3599) / 3600) + " h";
  return std::to_string((seconds + 86'399) / 86'400) + " days";
}

bool may_help(const HttpResponse& response, std::string_view body) {
  if (response.end == HttpResponse::End::stopped || response.end == HttpResponse::End::refused)
    return false;
  if (response.end != HttpResponse::End::complete) return response.again;
  const std::string_view said = header_value(response.headers, "x-should-retry");
  if (said == "true") return true;
  if (said == "false") return false;
  if (has_any_of(body, hopeless)) return false;
  const int status = response.status;
  return status >= 500 || status == 408 || status == 409 || status == 429;
}

}  // namespace

RetryPlan plan_retry(const HttpResponse& response, std::string_view body, const Tried& tried,
                     double jitter, std::int64_t now, Milliseconds first) {
  if (tried.retries >= max_retries || tried.waited >= most_waiting || !may_help(response, body))
    return {};
  const auto asked = asked_wait(response, body, now);
  if (asked && *asked > longest_wait)
    return {.refusal = "the provider asks to wait " + in_words(*asked) + " before the next try"};
  return {.again = true, .wait = asked.value_or(own_wait(tried.retries, jitter, first))};
}

bool wait_to_retry(Milliseconds wait, int attempt, const std::string& reason,
                   const model::Ports& ports) {
  // Sent once: a live line counts down by itself.
  ports.sink(model::Retrying{attempt, wait, reason});
  return model::pause(ports, wait);
}

}  // namespace skein::http
