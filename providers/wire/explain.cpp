// What an error of any provider means: the sentence for the user, whether the request was too long,
// whether trying again makes sense. Services copy each other's formats and mix their words, so one
// reader serves all codecs.

#include "core/text/text.h"
#include "providers/wire/wire.h"

namespace skein::wire {

namespace {

// No window is smaller or larger; the numbers of a sentence may be anything.
constexpr std::int64_t least = 256, most = 100'000'000;

std::int64_t sane(std::int64_t number) { return number >= least && number <= most ? number : 0; }

// Sentences of services, in lower case, with the numbers that count: # is the window, @ is what was
// sent, * is a number of no interest, and … matches any words without a number. The first that
// fits is taken.
constexpr std::string_view sentences[] = {
    "input length and `max_tokens` exceed context limit: @ + * > #",          // Anthropic
    "prompt is too long: @ tokens > # maximum",                               // Anthropic
    "input token count (@) exceeds the maximum number of tokens allowed (#",  // Google
    "input token count exceeds the maximum number of tokens allowed (#",      // Google
    "request (@ tokens) exceeds the available context size (#",               // llama.cpp
    "exceeds the available context size (#",
    "maximum context length is # tokens. however, your messages resulted in @ tokens",  // OpenAI
    "maximum context length is # tokens, however you requested * tokens (@ in",         // OpenAI
    "maximum context length is # tokens. however, you requested * tokens (@ in",        // vLLM
    "maximum context length is # tokens and your request has @ input tokens",           // vLLM
    "maximum context length of # tokens",
    "maximum prompt length is # but the request contains @ tokens",                     // xAI
    "exceeded model token limit: # (requested: @",                                      // Kimi
    "maximum context length is # tokens. however, you requested about * tokens (@ of",  // OpenRouter
    "prompt token count of @ exceeds the limit of #",                                   // Copilot
    "prompt contains @ tokens…too large for model with # maximum",                      // Mistral
    "too large for model with # maximum context length",
    "tokens + `max_new_tokens` must be <= #",  // Together, TGI
    "maximum context length is # tokens",
    "context window of # tokens",
    "context window is # tokens",
    "context length is only # tokens",
    "input tokens exceed the configured limit of # tokens",  // OpenAI Responses
    "maximum allowed input length of # tokens",
};

// A number with or without commas between its digits, taken from the beginning of `text`.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::string digits;
  std::size_t at = 0;
  while (at < text.size() &&
         (is_digit(text[at]) ||
          (text[at] == ',' && at > 0 && at + 1 < text.size() && is_digit(text[at + 1]))))
    if (const char c = text[at++]; c != ',') digits += c;
  text.remove_prefix(at);
  return parse_number<std::int64_t>(digits);
}

// Whether `text` begins as the sentence does.
bool fits(std::string_view text, std::string_view sentence, delta::Overflow& out) {
  constexpr std::string_view any = "…";
  while (!sentence.empty()) {
    if (sentence.starts_with(any)) {
      sentence.remove_prefix(any.size());
      const std::string_view next = sentence.substr(0, sentence.find_first_of("#@*"));
      const std::size_t at = text.find(next);
      if (at == std::string_view::npos) return false;
      text.remove_prefix(at);
      continue;
    }
    const char c = sentence.front();
    sentence.remove_prefix(1);
    if (c == '#' || c == '@' || c == '*') {
      const std::optional<std::int64_t> number = take_number(text);
      if (!number) return false;
      if (c == '#') out.window = *number;
      if (c == '@') out.sent = *number;
    } else {
      if (!text.starts_with(c)) return false;
      text.remove_prefix(1);
    }
  }
  return true;
}

delta::Overflow in_words(std::string_view message) {
  for (const std::string_view sentence : sentences) {
    const std::string_view opening = sentence.substr(0, sentence.find_first_of("#@*"));
    for (std::size_t at = 0; (at = message.find(opening, at)) != std::string_view::npos; ++at)
      if (delta::Overflow out; fits(message.substr(at), sentence, out)) return out;
  }
  return {};
}

// What a refusal says in numbers: how many tokens the model takes, and how many it was given.
// `message` is the error's sentence in lower case. What is not said, or makes no sense, is 0.
delta::Overflow overflow_in(const Json& error, const std::string& message) {
  delta::Overflow out = in_words(message);
  // llama.cpp has them as members too.
  if (const std::int64_t window = int_at(error, "n_ctx"); window > 0) out.window = window;
  if (const std::int64_t sent = int_at(error, "n_prompt_tokens"); sent > 0) out.sent = sent;
  return {sane(out.window), sane(out.sent)};
}

constexpr std::pair<int, std::string_view> meanings[] = {
    {400, "the provider refused the request"},
    {401, "the provider did not accept the key"},
    {402, "the account has no credit"},
    {403, "the key is not allowed to do this"},
    {404, "the provider does not know this model or address"},
    {408, "the provider waited too long for the request"},
    {409, "the request conflicts with another one"},
    {413, "the request is too large"},
    {422, "the provider refused the request"},
    {429, "too many requests"},
    {500, "the provider has an internal error"},
    {502, "the provider cannot be reached through its gateway"},
    {503, "the provider is not available"},
    {504, "the provider took too long"},
    {529, "the provider is overloaded"},
};

// Types, codes and status names that stand where no HTTP status is given, and what they amount to.
constexpr std::pair<std::string_view, int> kinds[] = {
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
};

// How services say that the context is too long; in lower case.
constexpr std::string_view overflow_words[] = {
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
constexpr std::pair<std::string_view, std::string_view> seal_words[] = {
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
};

bool is_about_seals(const std::string& words) {
  return std::ranges::any_of(seal_words, [&](const auto& row) {
    return words.find(row.first) != std::string::npos &&
           words.find(row.second) != std::string::npos;
  });
}

// Codes of a 429 that no waiting will cure.
constexpr std::string_view exhausted[] = {"insufficient_quota", "billing", "credit"};

constexpr std::size_t longest_message = 600;

std::string scalar_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_integer() ? dump(value) : "";
}

struct ErrorReport {
  int status = 0;
  std::string message{};
  std::string words{};  // type, code, status name and message, in lower case
  delta::Overflow told{};
};

ErrorReport read(const Json& error, int status) {
  ErrorReport report{.status = status};
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

Explanation judge(const ErrorReport& report) {
  Explanation out;
  const bool spent = report.status == 402 || has_any_of(report.words, exhausted);
  // "Too many tokens per minute" is a 429 and no overflow.
  out.overflow =
      report.status == 413 || (report.status != 429 && has_any_of(report.words, overflow_words));
  if (out.overflow) out.told = report.told;
  out.seals = !out.overflow && report.status == 400 && is_about_seals(report.words);
  out.retryable = !out.overflow && !spent &&
                  (report.status == 408 || report.status == 409 || report.status == 429 ||
                   report.status >= 500);
  const auto known =
      std::ranges::find_if(meanings, [&](const auto& row) { return row.first == report.status; });
  std::string text = out.overflow                  ? "the conversation is too long for this model"
                     : spent                       ? "the account has no credit or quota left"
                     : known != std::end(meanings) ? std::string(known->second)
                     : report.status >= 500        ? "the provider has a problem"
                                                   : "the provider reports an error";
  if (report.status != 0) text += " (" + std::to_string(report.status) + ")";
  if (!report.message.empty()) {
    const std::string message = valid_utf8(report.message);
    text += ": " + std::string(utf8_prefix(message, longest_message));
  }
  out.text = std::move(text);
  return out;
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

delta::Failed failure(const Json& error) { return judge(read(error, 0)); }

Explanation explain(int status, std::string_view body, const http::HttpHeaders& headers) {
  const Json error = error_in(body.substr(0, std::size_t{1} << 20));
  Explanation out = judge(read(error, status));
  if (status >= 200 && status < 300) {
    out.text = "the provider sent something that is not a stream of events" +
               (error.is_object() && error.contains("message") ? ": " + string_at(error, "message")
                                                               : std::string());
    out.retryable = !out.overflow;
  }
  const std::string_view should_retry = http::header_value(headers, "x-should-retry");
  if (should_retry == "true") out.retryable = true;
  if (should_retry == "false") out.retryable = false;
  return out;
}

}  // namespace skein::wire
