#include "providers/wire/overflow.h"

#include <charconv>
#include <string_view>

namespace skein::wire {

namespace {

// No window is smaller or larger; the numbers of a sentence may be anything.
constexpr std::int64_t least = 256, most = 100'000'000;

std::int64_t sane(std::int64_t number) { return number >= least && number <= most ? number : 0; }

// Sentences of services, in lower case, with the numbers that count: # is the window, @ is what was
// sent, * is a number of no interest, and … stands for any words without a number. The first that
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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number with or without commas between its digits.
bool take_number(std::string_view& text, std::int64_t& number) {
  std::string digits;
  std::size_t at = 0;
  while (at < text.size() &&
         (is_digit(text[at]) ||
          (text[at] == ',' && at > 0 && at + 1 < text.size() && is_digit(text[at + 1]))))
    if (const char c = text[at++]; c != ',') digits += c;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || failed != std::errc{}) return false;
  text.remove_prefix(at);
  return true;
}

// Whether `text` begins as the sentence does.
bool fits(std::string_view text, std::string_view sentence, model::delta::Overflow& out) {
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
      std::int64_t number = 0;
      if (!take_number(text, number)) return false;
      if (c == '#') out.window = number;
      if (c == '@') out.sent = number;
    } else {
      if (!text.starts_with(c)) return false;
      text.remove_prefix(1);
    }
  }
  return true;
}

model::delta::Overflow in_words(std::string_view message) {
  for (const std::string_view sentence : sentences) {
    const std::string_view opening = sentence.substr(0, sentence.find_first_of("#@*"));
    for (std::size_t at = 0; (at = message.find(opening, at)) != std::string_view::npos; ++at)
      if (model::delta::Overflow out; fits(message.substr(at), sentence, out)) return out;
  }
  return {};
}

}  // namespace

model::delta::Overflow overflow_in(const Json& error, const std::string& message) {
  model::delta::Overflow out = in_words(message);
  // llama.cpp has them as members too.
  if (const std::int64_t window = int_at(error, "n_ctx"); window > 0) out.window = window;
  if (const std::int64_t sent = int_at(error, "n_prompt_tokens"); sent > 0) out.sent = sent;
  return {sane(out.window), sane(out.sent)};
}

}  // namespace skein::wire
