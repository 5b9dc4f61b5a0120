#include "core/search/candidates.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "core/text/json.h"
#include "core/text/utf8.h"

namespace skein::search {

namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The runs of ASCII letters and digits in a text: nobody escapes these.
std::vector<std::string_view> plain_runs(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    // A letter before an accent that stands by itself may be one character with it elsewhere.
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
      // What an escape is spelled with goes on behind its letter: \x41, \pL, \u4e2d.
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

// As a writer spells it that escapes all it can: \u4e2d\u6587.
std::string all_escaped(std::string_view text) {
  std::string out;
  const auto unit = [&](unsigned value) {
    char spelled[8];
    std::snprintf(spelled, sizeof spelled, "\\u%04x", value);
    out += spelled;
  };
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character c = first_character(text.substr(at));
    at += c.length;
    const auto point = static_cast<unsigned>(c.point);
    if (point < 0x10000) {
      unit(point);
    } else {
      unit(0xD800 + ((point - 0x10000) >> 10));
      unit(0xDC00 + ((point - 0x10000) & 0x3FF));
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
  for (std::string_view rest = term.text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end > signs.size()) signs = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
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
  // In steps that grow: one that stands everywhere must not have another, which stands nowhere,
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
