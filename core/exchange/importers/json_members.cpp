#include "core/exchange/importers/json_members.h"

#include <algorithm>
#include <utility>

#include "core/exchange/importers/json_records.h"
#include "core/text/base.h"

namespace skein::exchange::importers {

namespace {

constexpr std::size_t nowhere = std::string_view::npos;

// Behind the quote that closes the string which begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t from = at + 1;;) {
    const std::size_t quote = text.find('"', from);
    if (quote == nowhere) return nowhere;
    std::size_t escapes = quote;
    while (escapes > from && text[escapes - 1] == '\\') --escapes;
    if ((quote - escapes) % 2 == 0) return quote + 1;
    from = quote + 1;
  }
}

std::size_t end_of_bracket(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      if (at == nowhere) return nowhere;
      continue;
    }
    ++at;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
  return nowhere;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::size_t end_of_value(std::string_view text, std::size_t at) {
  if (at >= text.size()) return nowhere;
  if (text[at] == '"') return end_of_string(text, at);
  if (text[at] == '{' || text[at] == '[') return end_of_bracket(text, at);
  const std::size_t begin = at;
  while (at < text.size() && text[at] != ',' && text[at] != '}' && text[at] != ']' &&
         !is_blank(text[at]))
    ++at;
  return at == begin ? nowhere : at;
}

}  // namespace

RawMembers::RawMembers(std::string_view text) : text_(text) {
  skip_blanks();
  if (at_ >= text_.size()) return;
  if (text_[at_] == '{') close_ = '}';
  if (text_[at_] == '[') close_ = ']';
  ++at_;
}

void RawMembers::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

std::optional<RawMember> RawMembers::next() {
  if (close_ == 0) return std::nullopt;
  const char close = std::exchange(close_, '\0');  // of whatever is not as it should be, no more
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == ',') {
    ++at_;
    skip_blanks();
  }
  if (at_ >= text_.size()) return std::nullopt;
  if (text_[at_] == close) {
    length_ = at_ + 1;
    return std::nullopt;
  }
  RawMember out;
  if (close == '}') {
    const std::size_t end = text_[at_] == '"' ? end_of_string(text_, at_) : nowhere;
    if (end == nowhere) return std::nullopt;
    out.key = text_.substr(at_ + 1, end - at_ - 2);
    at_ = end;
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != ':') return std::nullopt;
    ++at_;
    skip_blanks();
  }
  const std::size_t end = end_of_value(text_, at_);
  if (end == nowhere) return std::nullopt;
  out.value = text_.substr(at_, end - at_);
  at_ = end;
  close_ = close;
  return out;
}

std::string raw_string(std::string_view value) {
  if (value.size() < 2 || value.front() != '"') return {};
  const auto parsed = read_json(value);
  return parsed && parsed->is_string() ? parsed->get<std::string>() : std::string{};
}

std::string_view raw_id(std::string_view value) {
  constexpr std::size_t longest = 128;
  if (value.size() < 3 || value.front() != '"' || value.size() > longest + 2) return {};
  const std::string_view id = value.substr(1, value.size() - 2);
  const bool fit =
      std::ranges::all_of(id, [](char c) { return c > 0x20 && c < 0x7F && c != '\\'; });
  return fit ? id : std::string_view{};
}

std::string_view raw_entry_id(std::string_view value) {
  const std::string_view id = raw_id(value);
  return id.find_first_of("/+#") == std::string_view::npos ? id : std::string_view{};
}

std::string_view raw_beginning(std::string_view value) {
  return value.starts_with('"') ? value.substr(1) : std::string_view{};
}

std::string_view after_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

}  // namespace skein::exchange::importers
