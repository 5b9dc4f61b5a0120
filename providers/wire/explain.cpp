// What an error of any provider means: the sentence for the user, whether the request was too long,
// whether trying again makes sense. Services copy each other's formats and mix their words, so one
// reader serves all codecs.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "providers/wire/overflow.h"
#include "providers/wire/wire.h"

namespace skein::wire {

namespace {

struct Meaning {
  int status;
  std::string_view sentence;
};
constexpr std::array<Meaning, 15> meanings{{
    {400, "the provider refused the request"},
    {401, "the provider did not accept the key"},
    {402, "the account has no credit"},
    {403, "the key is not allowed to do this"},
    {404, "the provider does not know this model or address"},
    {408, "the provider waited too long for the request"},
    {409, "the request collided with another one"},
    {413, "the request is too large"},
    {422, "the provider refused the request"},
    {429, "too many requests"},
    {500, "the provider has an internal error"},
    {502, "the provider cannot be reached through its gateway"},
    {503, "the provider is not available"},
    {504, "the provider took too long"},
    {529, "the provider is overloaded"},
}};

// Types, codes and status names that stand where no HTTP status is given, and what they amount to.
constexpr std::array<std::pair<std::string_view, int>, 20> kinds{{
    {"invalid_request_error", 400},
    {"INVALID_ARGUMENT", 400},
    {"authentication_error", 401},
    {"UNAUTHENTICATED", 401},
    {"billing_error", 402},
    {"permission_error", 403},
    {"PERMISSION_DENIED", 403},
    {"not_found_error", 404},
    {"NOT_FOUND", 404},
    {"request_too_large", 413},
    {"rate_limit_error", 429},
    {"rate_limit_exceeded", 429},
    {"RESOURCE_EXHAUSTED", 429},
    {"api_error", 500},
    {"server_error", 500},
    {"INTERNAL", 500},
    {"UNAVAILABLE", 503},
    {"timeout_error", 504},
    {"DEADLINE_EXCEEDED", 504},
    {"overloaded_error", 529},
}};

// How services say that the context is too long; in lower case.
constexpr std::array<std::string_view, 22> overflow_words{
    "context_length_exceeded",
    "exceed_context_size",
    "model_context_window_exceeded",
    "request_too_large",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "context window",
    "context length",
    "context size",
    "maximum context",
    "maximum prompt length",
    "maximum number of tokens allowed",
    "maximum allowed input length",
    "input token count",
    "input tokens exceed",
    "prompt token count",
    "reduce the length of the messages",
    "too many tokens",
    "token limit exceeded",
    "exceeded model token limit",
    "larger than the maximum",
};

// How services say that they do not take what was signed, or do not take it in this place; in lower
// case, both words of a row.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> seal_words{{
    {"signature` in `thinking` block", ""},
    {"thinking", "blocks in the latest assistant message cannot be modified"},
    {"a final `assistant` message must start with a thinking block", ""},
    {"the first block must be `thinking`", ""},
    {"the first block must be thinking", ""},
    {"in the final position cannot contain `thinking`", ""},
    {"thought signature", ""},
    {"thought_signature", ""},
    {"thoughtsignature", ""},
    {"encrypted", "could not be"},  // "… content for item rs_1 could not be verified"
}};

bool is_about_seals(const std::string& words) {
  return std::ranges::any_of(seal_words, [&](const auto& row) {
    return words.find(row.first) != std::string::npos &&
           words.find(row.second) != std::string::npos;
  });
}

// Codes of a 429 that no waiting will cure.
constexpr std::array<std::string_view, 3> exhausted{"insufficient_quota", "billing", "credit"};

constexpr std::size_t longest_message = 600;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return out;
}

bool mentions(const std::string& text, const auto& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::string scalar_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_integer() ? dump(value) : "";
}

struct Report {
  int status = 0;
  std::string message{};
  std::string words{};  // type, code, status name and message, in lower case
  model::delta::Overflow told{};
};

Report read(const Json& error, int status) {
  Report report{.status = status};
  if (error.is_string()) report.message = error.get<std::string>();
  if (error.is_object()) report.message = string_at(error, "message");
  report.words = lower(report.message);
  report.told = overflow_in(error, report.words);
  for (const char* key : {"code", "type", "status"}) {
    const Json& member = at(error, key);
    const std::string word = scalar_text(member);
    report.words += ' ' + lower(word);
    if (report.status != 0) continue;
    if (member.is_number_integer()) report.status = static_cast<int>(member.get<std::int64_t>());
    for (const auto& [kind, meant] : kinds)
      if (kind == word) report.status = meant;
  }
  return report;
}

Explanation judge(const Report& report) {
  Explanation out;
  const bool spent = report.status == 402 || mentions(report.words, exhausted);
  // "Too many tokens per minute" is a 429 and no overflow.
  out.overflow =
      report.status == 413 || (report.status != 429 && mentions(report.words, overflow_words));
  if (out.overflow) out.told = report.told;
  out.seals = !out.overflow && report.status == 400 && is_about_seals(report.words);
  out.retryable = !out.overflow && !spent &&
                  (report.status == 408 || report.status == 409 || report.status == 429 ||
                   report.status >= 500);
  const auto known = std::ranges::find(meanings, report.status, &Meaning::status);
  std::string text = out.overflow              ? "the conversation is too long for this model"
                     : spent                   ? "the account has no credit or quota left"
                     : known != meanings.end() ? std::string(known->sentence)
                     : report.status >= 500    ? "the provider has trouble"
                                               : "the provider reports an error";
  if (report.status != 0) text += " (" + std::to_string(report.status) + ")";
  if (!report.message.empty()) {
    const std::string message = valid_utf8(report.message);
    text += ": " + std::string(utf8_prefix(message, longest_message));
  }
  out.text = std::move(text);
  return out;
}

std::string_view header(const http::HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return {};
}

std::optional<std::chrono::milliseconds> sane_wait(double ms) {
  if (!(ms >= 0) || ms > 86'400'000.0) return std::nullopt;
  return std::chrono::milliseconds(std::llround(ms));
}

// "12", "1.5" or "12s", times `unit`. Nonsense is left to our own backoff.
std::optional<std::chrono::milliseconds> wait_of(std::string_view text, double unit) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (problem != std::errc{} || (!rest.empty() && rest != "s")) return std::nullopt;
  return sane_wait(number * unit);
}

// Seconds since 1970 of "Wed, 21 Oct 2026 07:28:00 GMT".
std::optional<double> http_date(std::string_view text) {
  std::tm tm{};
  char month[4] = "";
  if (std::sscanf(std::string(text).c_str(), "%*3s, %2d %3s %4d %2d:%2d:%2d GMT", &tm.tm_mday,
                  month, &tm.tm_year, &tm.tm_hour, &tm.tm_min, &tm.tm_sec) != 6)
    return std::nullopt;
  const std::size_t at = std::string_view("JanFebMarAprMayJunJulAugSepOctNovDec").find(month);
  if (at == std::string_view::npos || at % 3 != 0) return std::nullopt;
  tm.tm_mon = static_cast<int>(at / 3);
  tm.tm_year -= 1900;
  return static_cast<double>(timegm(&tm));
}

// A date is measured against the server's own clock: ours may be wrong.
std::optional<std::chrono::milliseconds> wait_until(std::string_view then, std::string_view now) {
  const std::optional<double> end = http_date(then), start = http_date(now);
  return end && start ? sane_wait((*end - *start) * 1000) : std::nullopt;
}

std::optional<std::chrono::milliseconds> retry_info(const Json& error) {
  const Json& details = at(error, "details");
  if (!details.is_array()) return std::nullopt;
  for (const Json& detail : details)
    if (const std::string delay = string_at(detail, "retryDelay"); !delay.empty())
      return wait_of(delay, 1000);
  return std::nullopt;
}

// The part of an error body that says something: {error: {…}}, [{error: {…}}], {message: …}.
Json error_in(std::string_view body) {
  std::optional<Json> json = parse_json(valid_utf8(body));
  if (!json) {
    const bool is_page = body.find_first_of('<') != std::string_view::npos;
    return is_page ? Json(nullptr) : Json(std::string(body.substr(0, body.find('\n'))));
  }
  if (json->is_array() && !json->empty()) json = Json(json->front());
  for (const char* key : {"error", "detail"})
    if (const Json& inner = at(*json, key); !inner.is_null()) return inner;
  return *json;
}

}  // namespace

model::delta::Failed failure(const Json& error) {
  const Explanation why = judge(read(error, 0));
  return {why.text, why.overflow, why.retryable, why.told, why.seals};
}

Explanation explain(int status, std::string_view body, const http::HttpHeaders& headers) {
  const Json error = error_in(body.substr(0, std::size_t{1} << 20));
  Explanation out = judge(read(error, status));
  if (status >= 200 && status < 300) {
    out.text = "the provider sent something that is not a stream of events" +
               (error.is_object() && error.contains("message") ? ": " + string_at(error, "message")
                                                               : std::string());
    out.retryable = !out.overflow;
  }
  const std::string_view should_retry = header(headers, "x-should-retry");
  if (should_retry == "true") out.retryable = true;
  if (should_retry == "false") out.retryable = false;
  out.wait = wait_of(header(headers, "retry-after-ms"), 1);
  if (!out.wait) out.wait = wait_of(header(headers, "retry-after"), 1000);
  if (!out.wait) out.wait = wait_until(header(headers, "retry-after"), header(headers, "date"));
  if (!out.wait) out.wait = retry_info(error);
  return out;
}

}  // namespace skein::wire
