#include "core/search/candidates.h"

#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/text/utf8.h"

namespace skein::search {

namespace {

// How rare a byte is in a transcript, roughly; 0 is everywhere.
unsigned rarity_of(char c) {
  constexpr std::string_view letters = "etaoinsrldcupmhgfbywvkxjqz";
  if (const std::size_t at = letters.find(c); at != std::string_view::npos)
    return 2 + static_cast<unsigned>(at) / 2;
  if (c == '"' || c == ' ' || c == ',' || c == ':' || c == '\\') return 0;
  if (c >= '0' && c <= '9') return 4;
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0xC0) return 5;  // the first of a character: the same for a whole script
  return byte >= 0x80 ? 9 : 6;
}

using RawText = RawPhrase::Text;

bool is_foreign(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool same_letter(char c, char small) {
  return c == small || (is_letter(small) && static_cast<char>(c | 0x20) == small);
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
  return is_foreign(c) ? Token::Kind::unknown
         : is_white(c) ? Token::Kind::white
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

// Whether one of the digits of a \uXXXX may end before `at`.
bool may_be_in_unicode_escape(std::string_view raw, std::size_t at) {
  for (std::size_t back = 1; back <= 5 && back <= at; ++back) {
    const char c = raw[at - back];
    if (c == 'u' && at - back > 0 && raw[at - back - 1] == '\\') return true;
    if (!is_hex_digit(c)) return false;
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

// The bit in which a letter's cases differ.
Lanes case_of(char c) { return all_lanes(is_letter(c) ? 0x20 : 0); }

bool is_plain(char c) { return is_alphanumeric(c) || c == '_'; }

// The runs of ASCII letters and digits in a text: these are never escaped.
std::vector<std::string_view> plain_runs(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    // A letter before a separate accent may be one character with it elsewhere.
    const bool joined = end < text.size() && static_cast<unsigned char>(text[end]) >= 0xCC;
    const std::size_t length = end - at - (joined && end > at ? 1 : 0);
    if (length > 0) out.push_back(text.substr(at, length));
    at = std::max(end, at + 1);
  }
  return out;
}

// What every match of a pattern holds, as far as that is easily seen: outside of groups and
// classes, and not followed by what makes it optional.
std::vector<std::string> runs_of_pattern(std::string_view pattern) {
  std::vector<std::string> out(1);
  if (pattern.find('|') != std::string_view::npos || pattern.find("(?") != std::string_view::npos)
    return {};
  int depth = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const char after = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    const bool counts = depth == 0 && is_plain(c) && after != '?' && after != '*' && after != '{';
    if (counts) {
      out.back() += c;
      continue;
    }
    if (!out.back().empty()) out.emplace_back();
    if (c == '\\') {
      // What an escape is spelled with continues behind its letter: \x41, \pL, \u4e2d.
      ++i;
      while (i + 1 < pattern.size() && (is_plain(pattern[i + 1]) || pattern[i + 1] == '{')) ++i;
    } else if (c == '[') {
      i = std::min(pattern.find(']', i + 2), pattern.size());
    } else if (c == '{') {
      i = std::min(pattern.find('}', i), pattern.size());
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    }
  }
  return out;
}

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = first_character(text.substr(at)).length;
    out.push_back(text.substr(at, length));
    at += length;
  }
  return out;
}

// As a writer spells it that escapes all it can: \u4e2d\u6587.
std::string all_escaped(std::string_view text) {
  std::string out;
  const auto unit = [&](char32_t value) { out += "\\u" + hex(value, 4); };
  for (const std::string_view each : characters(text)) {
    const char32_t point = first_character(each).point;
    if (point < 0x10000) {
      unit(point);
    } else {
      unit(0xD800 + ((point - 0x10000) >> 10));
      unit(0xDC00 + ((point - 0x10000) & 0x3FF));
    }
  }
  return out;
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

// Of a text without ASCII letters: the longest stretch that is spelled in one way only, or one
// character in all its spellings.
std::vector<std::string> spelled_out(std::string_view text) {
  std::string best, run;
  std::vector<std::string> any;
  for (const std::string_view each : characters(text)) {
    if (is_ascii(each)) {
      run.clear();
      continue;
    }
    std::vector<std::string> ways = spellings(first_character(each).point);
    if (ways.size() == 1) {
      run += each;
      if (run.size() > best.size()) best = run;
    } else {
      run.clear();
      if (any.empty()) any = std::move(ways);
    }
  }
  return best.empty() ? any : std::vector<std::string>{best};
}

}  // namespace

Needle::Needle(std::string_view bytes) : bytes_(lower(bytes)) {
  for (std::size_t i = 1; i < bytes_.size(); ++i)
    if (rarity_of(bytes_[i]) > rarity_of(bytes_[first_])) first_ = i;
  second_ = first_ == 0 && bytes_.size() > 1 ? 1 : 0;
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    if (i != first_ && rarity_of(bytes_[i]) > rarity_of(bytes_[second_])) second_ = i;
  for (const char c : bytes_) rarity_ += 1 + rarity_of(c);
}

bool Needle::stands_at(const char* place) const {
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    if (!same_letter(place[i], bytes_[i])) return false;
  return true;
}

std::size_t Needle::find(std::string_view text, std::size_t from) const {
  if (text.size() < bytes_.size() || from > text.size() - bytes_.size())
    return std::string_view::npos;
  const std::size_t last = text.size() - bytes_.size();
  const char* const base = text.data();
  const char one = bytes_[first_], two = bytes_[second_];
  const Lanes case_one = case_of(one), case_two = case_of(two);
  const Lanes want_one = all_lanes(one), want_two = all_lanes(two);
  const auto fits = [&](std::size_t at) {
    return Lanes(((load_lanes(base + at + first_) | case_one) == want_one) &
                 ((load_lanes(base + at + second_) | case_two) == want_two));
  };
  std::size_t at = from;
  for (; at + 2 * lane_count <= last + 1; at += 2 * lane_count) {
    const Lanes halves[] = {fits(at), fits(at + lane_count)};
    if (!any_lane(halves[0] | halves[1])) continue;
    for (std::size_t begin = at; const Lanes half : halves) {
      const std::size_t lane =
          first_lane(half, [&](std::size_t i) { return stands_at(base + begin + i); });
      if (lane < lane_count) return begin + lane;
      begin += lane_count;
    }
  }
  for (; at <= last; ++at)
    if (stands_at(base + at)) return at;
  return std::string_view::npos;
}

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
        first_lane(fitting, [&](std::size_t i) { return word_.is_at(raw, at + i + 1 - length); });
    if (lane < lane_count) return at + lane + 1 - length;
  }
  return word_.find(raw, at + 1 - length);
}

// Whether `wanted` is in front of `at` or, forward, from there on; `at` is its other end then.
RawPhrase::Fit RawPhrase::fits(std::string_view wanted, std::string_view raw, std::size_t& at,
                               Text text, bool forward) {
  bool in_blank = false;  // which may continue
  for (std::size_t left = wanted.size(); left > 0;) {
    if (at == (forward ? raw.size() : 0)) return in_blank && left == 1 ? Fit::yes : Fit::no;
    const Token token = forward ? token_at(raw, at, text) : token_before(raw, at, text);
    if (token.kind == Token::Kind::unknown) return Fit::unsure;
    const std::size_t beyond = forward ? at + token.length : at - token.length;
    const auto next = [&] { return wanted[forward ? wanted.size() - left : left - 1]; };
    if (token.kind == Token::Kind::white) {
      if (next() != ' ') return Fit::no;
      in_blank = true;
      at = beyond;
      continue;
    }
    if (std::exchange(in_blank, false) && --left == 0) return Fit::yes;
    if (token.kind == Token::Kind::escape || !same_letter(raw[std::min(at, beyond)], next()))
      return Fit::no;
    at = beyond;
    --left;
  }
  // A separate accent would make another letter of the last one.
  const bool accented =
      forward && at < raw.size() && token_at(raw, at, text).kind == Token::Kind::unknown;
  return accented ? Fit::unsure : Fit::yes;
}

std::optional<RawPhrase::Place> RawPhrase::find(std::string_view raw, std::size_t from,
                                                Text text) const {
  for (std::size_t at = from;; ++at) {
    at = last_ != 0 && text == Text::json ? next_before_gap(raw, at) : word_.find(raw, at);
    if (at == std::string_view::npos) return std::nullopt;
    // The letter of an escape is none of a word.
    if (text == RawText::json && at > 0 && raw[at - 1] == '\\' && is_escaped(raw, at)) continue;
    std::size_t begin = at, end = at + word_.bytes().size();
    const Fit before = fits(before_, raw, begin, text, false);
    if (before == Fit::no) continue;
    const Fit after = fits(after_, raw, end, text, true);
    if (after == Fit::no) continue;
    const bool hex = text == RawText::json && may_be_in_unicode_escape(raw, at);
    if (before == Fit::yes && after == Fit::yes && !hex) return Place{begin, end, true};
    return Place{at, at + word_.bytes().size(), false};
  }
}

Candidates::Candidates(const Query& query) {
  // With accents left out, every letter may be spelled in too many ways.
  everything_ = query.accents == Accents::dropped;
  if (everything_) return;
  std::optional<Needle> best;
  const auto offer = [&](std::string_view run) {
    if (Needle needle(run); !best || needle.rarity() > best->rarity()) best = std::move(needle);
  };
  bool has_regex = false;
  for (const Term& term : query.terms) {
    if (term.excluded) continue;
    if (term.kind == Term::Kind::phrase && RawPhrase::is_plain(term.text))
      if (RawPhrase phrase(term.text); !phrase_ || phrase.rarity() > phrase_->rarity())
        phrase_ = std::move(phrase);
    if (term.kind == Term::Kind::regex) {
      has_regex = true;
      for (const std::string& run : runs_of_pattern(term.text))
        if (run.size() > 1) offer(run);
    } else {
      for (const std::string_view run : plain_runs(term.text)) offer(run);
    }
  }
  if (phrase_ && phrase_->rarity() >= best->rarity()) return;
  phrase_.reset();
  if (best) {
    needles_.push_back(*std::move(best));
    return;
  }
  const auto longest = std::ranges::max_element(query.terms, {}, [](const Term& term) {
    return term.excluded || term.kind == Term::Kind::regex ? 0 : term.text.size();
  });
  everything_ = has_regex && (longest->excluded || longest->kind == Term::Kind::regex);
  if (!everything_) look_for(*longest);
}

void Candidates::add(std::string_view bytes) {
  if (phrase_) needles_.push_back(phrase_->one_word());
  phrase_.reset();
  needles_.emplace_back(bytes);
}

void Candidates::look_for(const Term& term) {
  if (!is_ascii(term.text)) {
    for (const std::string& way : spelled_out(term.text)) {
      add(way);
      add(all_escaped(way));
    }
    everything_ = needles_.empty();
    return;
  }
  // Signs only. Blanks may be any white space, and some writers escape signs that need not be.
  wide_ = false;
  std::string_view signs;
  for (const std::string_view each : split(std::string_view(term.text), ' '))
    if (each.size() > signs.size()) signs = each;
  const std::string quoted = json_string(signs);
  add(std::string_view(quoted).substr(1, quoted.size() - 2));
  for (const char c : signs)
    if (std::string_view("<>&'/").find(c) != std::string_view::npos)
      add(c == '/' ? "\\/" : all_escaped(std::string_view(&c, 1)));
}

// U+FF10–FF19, FF21–FF3A, FF41–FF5A and the narrow katakana: EF BC 90 … EF BE 9F.
std::size_t Candidates::next_wide_letter(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    const void* found = std::memchr(text.data() + from, 0xEF, text.size() - from);
    if (found == nullptr) break;
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    if (at + 2 < text.size()) {
      const auto second = static_cast<unsigned char>(text[at + 1]);
      const auto third = static_cast<unsigned char>(text[at + 2]);
      const bool digit = second == 0xBC && third >= 0x90 && third <= 0x99;
      const bool capital = second == 0xBC && third >= 0xA1 && third <= 0xBA;
      const bool small = second == 0xBD && ((third >= 0x81 && third <= 0x9A) || third >= 0xA6);
      if (digit || capital || small || second == 0xBE) return at;
    }
    from = at + 1;
  }
  return std::string_view::npos;
}

std::size_t Candidates::next(std::string_view text, std::size_t from) const {
  constexpr std::size_t none = std::string_view::npos;
  if (everything_) return from < text.size() ? from : none;
  if (phrase_ || needles_.size() == 1) {
    std::size_t first = none;
    if (!phrase_)
      first = needles_.front().find(text, from);
    else if (const auto place = phrase_->find(text, from))
      first = place->begin;
    const std::string_view before = text.substr(0, std::min(first, text.size()));
    return wide_ ? std::min(first, next_wide_letter(before, from)) : first;
  }
  // In steps that grow: one that is everywhere must not have another, which is nowhere,
  // looked for to the end each time.
  for (std::size_t step = 1024; from < text.size(); from += step, step *= 2) {
    std::size_t first = none;
    for (const Needle& needle : needles_) {
      const std::size_t end = std::min(first, from + step) + needle.bytes().size() - 1;
      first = std::min(first, needle.find(text.substr(0, std::min(end, text.size())), from));
    }
    const std::size_t end = std::min(first, from + step);
    if (wide_)
      first =
          std::min(first, next_wide_letter(text.substr(0, std::min(end + 2, text.size())), from));
    if (first != none) return first;
  }
  return none;
}

}  // namespace skein::search
