#include "core/search/matcher.h"

#include "core/text/base.h"
#include "core/text/utf8.h"

namespace skein::search {

namespace {

constexpr std::size_t most_spans = 500;
constexpr std::size_t part_bytes = 1u << 20, overlap = 4096;

struct TextSpan {
  std::size_t begin = 0, end = 0, term = 0;
};

std::vector<TextSpan> spans_in(std::string_view text, const Query& query) {
  std::vector<TextSpan> out;
  const Folded folded = folded_with_origins(text, query.accents);
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    const Term& term = query.terms[i];
    if (term.excluded) continue;
    std::size_t found = 0;
    if (term.kind == Term::Kind::regex) {
      for (std::size_t at = 0; at < text.size() && found < most_spans;) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        for (std::size_t from = 0; found < most_spans; ++found) {
          const auto place = term.regex->first_in(line, from);
          if (!place) break;
          out.push_back({at + place->begin, at + place->end, i});
          from = place->end;
        }
        at = end + 1;
      }
      continue;
    }
    const TermFinder finder(term);
    for (std::size_t at = 0; found < most_spans; ++found) {
      at = finder.find(folded.text, at);
      if (at == std::string_view::npos) break;
      const std::size_t end = at + term.text.size();
      out.push_back({folded.origin[at], folded.origin[end], i});
      at = end;
    }
  }
  std::ranges::sort(out, {}, &TextSpan::begin);
  return out;
}

// Of a very long text, the first part that has something in it.
std::string_view part_with(std::string_view text, const Query& query) {
  while (text.size() > part_bytes + overlap) {
    const std::string_view part = utf8_prefix(text, part_bytes + overlap);
    if (!spans_in(part, query).empty()) return part;
    text.remove_prefix(utf8_prefix(text, part_bytes).size());
  }
  return text;
}

// The place so many characters before `at`, at the beginning of a word if one is near.
std::size_t back_from(std::string_view text, std::size_t at, std::size_t characters) {
  std::size_t begin = at;
  while (begin > 0 && characters > 0) {
    --begin;
    if ((static_cast<unsigned char>(text[begin]) & 0xC0u) != 0x80u) --characters;
  }
  if (begin == 0) return 0;
  for (std::size_t i = begin; i < at && i < begin + 20; ++i)
    if (is_white(text[i])) return i + 1;
  return begin;
}

// Where the window should begin: before the match that has the most different terms behind it.
std::size_t best_start(const std::vector<TextSpan>& spans, std::size_t characters) {
  std::size_t best = 0, most = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(spans.size(), 100); ++i) {
    std::set<std::size_t> terms;
    for (std::size_t j = i; j < spans.size() && spans[j].end < spans[i].begin + characters; ++j)
      terms.insert(spans[j].term);
    if (terms.size() > most) {
      most = terms.size();
      best = i;
    }
  }
  return spans[best].begin;
}

bool is_plain(const Term& term) {
  if (term.kind == Term::Kind::phrase) return RawPhrase::is_plain(term.text);
  return term.kind == Term::Kind::word && RawPhrase::is_plain(term.text) &&
         term.text.find(' ') == std::string::npos;
}

// Whether a word's character is before `at` in the inside of a JSON string: the n of a \n is
// none, and what \u00e9 means must be looked at.
std::optional<bool> raw_word_before(std::string_view raw, std::size_t at) {
  if (at == 0) return false;
  const auto before = static_cast<unsigned char>(raw[at - 1]);
  if (before >= 0x80) return std::nullopt;
  if (!in_word(before)) return false;
  std::size_t escapes = 0;
  while (escapes + 1 < at && raw[at - 2 - escapes] == '\\') ++escapes;
  if (escapes % 2 != 0) return false;
  const std::size_t from = at < 6 ? 0 : at - 6;
  if (raw.substr(from, at - from).find("\\u") != std::string_view::npos) return std::nullopt;
  return true;
}

}  // namespace

Snippet snippet_of(std::string_view whole, const Query& query, std::size_t characters) {
  const std::string_view text = part_with(whole, query);
  const std::vector<TextSpan> spans = spans_in(text, query);
  const std::size_t begin =
      spans.empty() ? 0 : back_from(text, best_start(spans, characters), characters / 4);
  Snippet out;
  std::size_t count = 0, span = 0;  // characters so far
  if (begin > 0 || text.data() != whole.data()) {
    out.text = "…";
    count = 1;
  }
  std::size_t at = begin;
  for (; at < text.size() && count < characters;) {
    while (span < spans.size() && spans[span].end <= at) ++span;
    const bool inside = span < spans.size() && spans[span].begin <= at;
    const Utf8Character c = first_character(text.substr(at));
    const bool blank = is_white(text[at]);
    const bool repeated = blank && (out.text.empty() || out.text.ends_with(' '));
    if (!repeated) {
      out.text += blank ? " " : c.good ? text.substr(at, c.length) : "\xEF\xBF\xBD";
      if (inside && !out.offsets.empty() && out.offsets.back().second == count &&
          !(spans[span].begin == at))
        out.offsets.back().second = count + 1;
      else if (inside)
        out.offsets.emplace_back(count, count + 1);
      ++count;
    }
    at += c.length;
  }
  if (at < text.size() || text.data() + text.size() != whole.data() + whole.size()) out.text += "…";
  return out;
}

TermFinder::TermFinder(const Term& term)
    : needle_(term.text),
      bordered_(term.kind == Term::Kind::word && in_word(first_character(term.text).point)) {}

std::size_t TermFinder::find(std::string_view folded, std::size_t from) const {
  for (;; ++from) {
    from = needle_.find(folded, from);
    if (from == std::string_view::npos || !bordered_ || !word_before(folded, from)) return from;
  }
}

Matcher::Matcher(const Query& query) : accents_(query.accents) {
  std::string words;
  std::size_t count = 0;
  for (const Term& term : query.terms) {
    Look look{term.kind, term.excluded};
    look.plain = accents_ == Accents::kept && is_plain(term);
    if (term.kind == Term::Kind::regex)
      look.regex = term.regex;
    else
      look.finder.emplace(term);
    if (look.plain && term.kind == Term::Kind::phrase) look.phrase.emplace(term.text);
    looks_.push_back(std::move(look));
    if (term.kind != Term::Kind::word || term.excluded) continue;
    words += (words.empty() ? "" : " ") + term.text;
    ++count;
  }
  if (count > 1) side_by_side_.emplace(words);
  quick_ =
      std::ranges::all_of(looks_, [](const Look& look) { return look.plain && !look.excluded; });
}

std::string_view Matcher::text_of(const Passage& passage) {
  if (passage.plain || passage.raw.find('\\') == std::string_view::npos) return passage.raw;
  unescape(passage.raw, text_);
  return text_;
}

bool Matcher::is_in(const Look& look, const Passage& passage, std::string_view text,
                    std::string_view folded) {
  if (look.kind == Term::Kind::path && !passage.call) return false;
  if (!look.regex) return look.finder->find(folded) != std::string_view::npos;
  while (!text.empty()) {  // line by line, as it is written
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (look.regex->found_in(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

// The first place where raw text has it; one that is not sure: only the folded text can tell.
std::optional<RawPhrase::Place> Matcher::find_raw(const Look& look, std::string_view raw,
                                                  std::size_t from, RawPhrase::Text text) {
  if (look.phrase) return look.phrase->find(raw, from, text);
  const Needle& needle = look.finder->needle();
  for (;; ++from) {
    from = needle.find(raw, from);
    if (from == std::string_view::npos) return std::nullopt;
    const std::optional<bool> inside =
        text == RawPhrase::Text::plain ? word_before(raw, from) : raw_word_before(raw, from);
    if (!inside || !*inside)
      return RawPhrase::Place{from, from + needle.bytes().size(), inside.has_value()};
  }
}

// Nothing: the raw text does not tell.
std::optional<bool> Matcher::is_in_raw(const Look& look, const Passage& passage) {
  if (!look.plain) return std::nullopt;
  using Text = RawPhrase::Text;
  const auto place = find_raw(look, passage.raw, 0, passage.plain ? Text::plain : Text::json);
  if (place ? !place->sure : Candidates::has_wide_letters(passage.raw)) return std::nullopt;
  return place.has_value();
}

std::optional<Matcher::Match> Matcher::match(const RawEntry& entry) {
  met_.assign(looks_.size(), false);
  Match best;
  std::size_t most = 0;
  for (std::size_t i = 0; i < entry.passages.size(); ++i) {
    const Passage& passage = entry.passages[i];
    // The best one has all terms: only who counts more can say them better.
    if (most == looks_.size() && passage.role >= entry.passages[best.passage].role) continue;
    std::optional<std::string_view> text;  // once it is needed
    std::size_t count = 0;
    for (std::size_t term = 0; term < looks_.size(); ++term) {
      std::optional<bool> there = is_in_raw(looks_[term], passage);
      if (!there) {
        if (!text) fold_into(*(text = text_of(passage)), accents_, folded_);
        there = is_in(looks_[term], passage, *text, folded_.text);
      }
      if (!*there) continue;
      if (looks_[term].excluded) return std::nullopt;
      met_[term] = true;
      ++count;
    }
    const bool better = count > most || (count > 0 && count == most &&
                                         passage.role < entry.passages[best.passage].role);
    if (!better) continue;
    most = count;
    best = {i, side_by_side_ && side_by_side_->find(text ? folded_.text : passage.raw) !=
                                    std::string_view::npos};
  }
  for (std::size_t term = 0; term < looks_.size(); ++term)
    if (!met_[term] && !looks_[term].excluded) return std::nullopt;
  return best;
}

std::optional<Role> Matcher::quick_match(const Look& look, std::string_view body) {
  constexpr int most_tries = 8;
  std::size_t from = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto place = find_raw(look, body, from, RawPhrase::Text::json);
    if (!place || !place->sure) return std::nullopt;
    from = place->end;
    if (!ends_in_passage(body.substr(0, place->end), cut_)) continue;
    // What is cut off in a call may be the name of a member.
    if (cut_.passages.back().call) return std::nullopt;
    // Behind what a model thinks, what it says may have it too.
    return cut_.speaker == Role::assistant ? Role::assistant : cut_.passages.back().role;
  }
  return std::nullopt;
}

// What is everywhere is near the beginning of most texts: what comes behind it need not be read
// to know that it is there.
std::optional<Role> Matcher::quick_match(std::string_view body) {
  if (!quick_) return std::nullopt;
  std::optional<Role> best;
  for (const Look& look : looks_) {
    const std::optional<Role> role = quick_match(look, body);
    if (!role) return std::nullopt;
    best = best ? std::min(*best, *role) : *role;
  }
  return best;
}

bool Matcher::fits(std::string_view text) {
  RawEntry entry;
  entry.passages.push_back({.role = Role::title, .raw = text, .plain = true});
  return match(entry).has_value();
}

}  // namespace skein::search
