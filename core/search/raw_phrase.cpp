#include "core/search/raw_phrase.h"

#include <algorithm>

#include "core/search/lanes.h"

namespace skein::search {

namespace {

using RawText = RawPhrase::Text;

bool is_ascii_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_foreign(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool same_letter(char c, char small) {
  return c == small || (small >= 'a' && small <= 'z' && static_cast<char>(c | 0x20) == small);
}

// One character of a text, however many bytes it takes there.
struct Token {
  std::size_t length = 1;
  enum class Kind { character, white, escape, unknown } kind = Kind::character;
};

Token::Kind kind_of_escape(char letter) {
  if (letter == 'u') return Token::Kind::unknown;
  return std::string_view("nrtf").find(letter) != std::string_view::npos ? Token::Kind::white
                                                                         : Token::Kind::escape;
}

Token::Kind kind_of(char c) {
  return is_foreign(c)       ? Token::Kind::unknown
         : is_ascii_white(c) ? Token::Kind::white
                             : Token::Kind::character;
}

Token token_at(std::string_view raw, std::size_t at, RawText text) {
  if (text == RawText::json && raw[at] == '\\' && at + 1 < raw.size())
    return {2, kind_of_escape(raw[at + 1])};
  return {1, kind_of(raw[at])};
}

// Whether the byte at `at` is what a backslash before it escapes.
bool is_escaped(std::string_view raw, std::size_t at) {
  std::size_t slashes = 0;
  while (slashes < at && raw[at - 1 - slashes] == '\\') ++slashes;
  return slashes % 2 != 0;
}

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Whether one of the digits of a \uXXXX may end before `at`.
bool may_be_in_unicode_escape(std::string_view raw, std::size_t at) {
  for (std::size_t back = 1; back <= 5 && back <= at; ++back) {
    const char c = raw[at - back];
    if (c == 'u' && at - back > 0 && raw[at - back - 1] == '\\') return true;
    if (!is_hex(c)) return false;
  }
  return false;
}

// The one that ends before `at`, which is not 0.
Token token_before(std::string_view raw, std::size_t at, RawText text) {
  if (text == RawText::json) {
    if (is_escaped(raw, at - 1)) return {2, kind_of_escape(raw[at - 1])};
    if (may_be_in_unicode_escape(raw, at)) return {1, Token::Kind::unknown};
  }
  return {1, kind_of(raw[at - 1])};
}

}  // namespace

bool RawPhrase::is_plain(std::string_view folded) {
  return std::ranges::all_of(
             folded,
             [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ' '; }) &&
         folded.find_first_not_of(' ') != std::string_view::npos;
}

RawPhrase::RawPhrase(std::string_view folded) : word_("-") {
  std::size_t begin = 0;
  unsigned best = 0;
  for (std::size_t at = folded.find_first_not_of(' '); at < folded.size();
       at = folded.find_first_not_of(' ', at)) {
    const std::size_t end = std::min(folded.find(' ', at), folded.size());
    Needle word(folded.substr(at, end - at));
    rarity_ += word.rarity();
    const bool gap = end + 1 < folded.size();
    const char around[] = {folded[end - 1], gap ? folded[end + 1] : '\0'};
    const unsigned rarity = gap ? Needle(std::string_view(around, 2)).rarity() : 0;
    if (rarity > best || (at == folded.find_first_not_of(' '))) {
      best = rarity;
      word_ = std::move(word);
      begin = at;
      last_ = gap ? around[0] : '\0';
      first_ = around[1];
    }
    at = end;
  }
  before_ = folded.substr(0, begin);
  after_ = folded.substr(begin + word_.bytes().size());
}

// The word where what follows it may be a blank and then the next word, sixteen places at a time.
// Most blanks are one, and then both letters around it must fit.
std::size_t RawPhrase::next_before_gap(std::string_view raw, std::size_t from) const {
  const auto case_of = [](char c) { return all_lanes(c >= 'a' && c <= 'z' ? 0x20 : 0); };
  const Lanes last = all_lanes(last_), first = all_lanes(first_);
  const Lanes case_last = case_of(last_), case_first = case_of(first_);
  const Lanes blank = all_lanes(' '), escape = all_lanes('\\'), foreign = all_lanes('\x80');
  const std::size_t length = word_.bytes().size();
  std::size_t at = from + length - 1;  // of the word's end
  for (; at + 2 + lane_count <= raw.size(); at += lane_count) {
    const char* const base = raw.data() + at;
    const Lanes one = load_lanes(base), two = load_lanes(base + 1), three = load_lanes(base + 2);
    const Lanes usual =
        Lanes((two == blank) & (((three | case_first) == first) | (three == blank) |
                                (three == escape) | ((three & foreign) == foreign)));
    const Lanes other = Lanes((two == escape) | ((two & foreign) == foreign));
    const Lanes fitting = Lanes((one | case_last) == last) & (usual | other);
    if (!any_lane(fitting)) continue;
    const std::size_t lane =
        first_lane(fitting, [&](std::size_t i) { return word_.stands(raw, at + i + 1 - length); });
    if (lane < lane_count) return at + lane + 1 - length;
  }
  return word_.find(raw, at + 1 - length);
}

RawPhrase::Fit RawPhrase::fits_after(std::string_view raw, std::size_t& at, Text text) const {
  bool in_blank = false;  // which may go on
  for (std::size_t i = 0; i < after_.size();) {
    if (at == raw.size()) return in_blank && i + 1 == after_.size() ? Fit::yes : Fit::no;
    const Token token = token_at(raw, at, text);
    if (token.kind == Token::Kind::unknown) return Fit::unsure;
    if (token.kind == Token::Kind::white) {
      if (after_[i] != ' ') return Fit::no;
      in_blank = true;
      at += token.length;
      continue;
    }
    if (in_blank) {
      in_blank = false;
      if (++i == after_.size()) return Fit::yes;
    }
    if (token.kind == Token::Kind::escape || !same_letter(raw[at], after_[i])) return Fit::no;
    ++at;
    ++i;
  }
  // An accent that stands by itself would make another letter of the last one.
  return at < raw.size() && token_at(raw, at, text).kind == Token::Kind::unknown ? Fit::unsure
                                                                                 : Fit::yes;
}

RawPhrase::Fit RawPhrase::fits_before(std::string_view raw, std::size_t& at, Text text) const {
  bool in_blank = false;
  for (std::size_t i = before_.size(); i > 0;) {
    if (at == 0) return in_blank && i == 1 ? Fit::yes : Fit::no;
    const Token token = token_before(raw, at, text);
    if (token.kind == Token::Kind::unknown) return Fit::unsure;
    if (token.kind == Token::Kind::white) {
      if (before_[i - 1] != ' ') return Fit::no;
      in_blank = true;
      at -= token.length;
      continue;
    }
    if (in_blank) {
      in_blank = false;
      if (--i == 0) return Fit::yes;
    }
    if (token.kind == Token::Kind::escape || !same_letter(raw[at - 1], before_[i - 1]))
      return Fit::no;
    --at;
    --i;
  }
  return Fit::yes;
}

std::optional<RawPhrase::Place> RawPhrase::find(std::string_view raw, std::size_t from,
                                                Text text) const {
  for (std::size_t at = from;; ++at) {
    at = last_ != 0 && text == Text::json ? next_before_gap(raw, at) : word_.find(raw, at);
    if (at == std::string_view::npos) return std::nullopt;
    // The letter of an escape is none of a word.
    if (text == RawText::json && at > 0 && raw[at - 1] == '\\' && is_escaped(raw, at)) continue;
    std::size_t begin = at, end = at + word_.bytes().size();
    const Fit before = fits_before(raw, begin, text);
    if (before == Fit::no) continue;
    const Fit after = fits_after(raw, end, text);
    if (after == Fit::no) continue;
    const bool hex = text == RawText::json && may_be_in_unicode_escape(raw, at);
    if (before == Fit::yes && after == Fit::yes && !hex) return Place{begin, end, true};
    return Place{at, at + word_.bytes().size(), false};
  }
}

}  // namespace skein::search
