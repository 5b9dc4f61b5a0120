#include "core/model/raw_answer.h"

#include <charconv>
#include <cstring>

#include "core/text/json.h"

namespace skein::model {

namespace {

bool take_word(std::string_view& text, std::string_view& word) {
  const std::optional<std::string_view> found = model::take_word(text);
  if (found) word = *found;
  return found.has_value();
}

bool take_number(std::string_view& text, std::int64_t& number) {
  const auto [stopped, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
  return failed == std::errc{};
}

bool read_usage(std::string_view& text, Usage& usage) {
  return take_number(text, usage.input) && take(text, R"(,"output":)") &&
         take_number(text, usage.output) && take(text, R"(,"cacheRead":)") &&
         take_number(text, usage.cache_read) && take(text, R"(,"cacheWrite":)") &&
         take_number(text, usage.cache_write) &&
         (!take(text, R"(,"reasoning":)") || take_number(text, usage.reasoning)) && take(text, "}");
}

bool read_footer(std::string_view text, AnswerFooter& out) {
  if (!take(text, R"(,"provider":)") || !take_word(text, out.provider)) return false;
  if (take(text, R"(,"model":)") && !take_word(text, out.model)) return false;
  if (take(text, R"(,"stopReason":)") && !take_word(text, out.stop)) return false;
  if (take(text, R"(,"usage":{"input":)") && !read_usage(text, out.usage.emplace())) return false;
  if (take(text, R"(,"durationMs":)") && !take_number(text, out.duration_ms)) return false;
  if (take(text, R"(,"firstTokenMs":)") && !take_number(text, out.first_token_ms)) return false;
  return text == "}";
}

}  // namespace

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

std::optional<std::string_view> take_word(std::string_view& text) {
  if (!take(text, "\"")) return std::nullopt;
  std::size_t end = 0;
  while (end < text.size() && text[end] != '"' && text[end] != '\\') ++end;
  if (end == text.size() || text[end] == '\\') return std::nullopt;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end + 1);
  return word;
}

std::optional<RawAnswer> read_answer(std::string_view body) {
  if (!take(body, R"({"role":"assistant","content":)")) return std::nullopt;
  const void* const last = ::memrchr(body.data(), ']', body.size());
  if (last == nullptr) return std::nullopt;
  const auto end = static_cast<std::size_t>(static_cast<const char*>(last) - body.data()) + 1;
  RawAnswer answer{.content = body.substr(0, end)};
  if (read_footer(body.substr(end), answer.footer)) return answer;
  // One that has nothing there.
  if (body.substr(end) != "}" || bracketed_length(body) != end) return std::nullopt;
  answer.footer = {};
  return answer;
}

}  // namespace skein::model
