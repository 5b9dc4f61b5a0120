#include "core/search/matcher.h"

#include <algorithm>

#include "core/search/candidates.h"
#include "core/text/utf8.h"

namespace skein::search {

namespace {

bool is_plain(const Term& term) {
  if (term.kind == Term::Kind::phrase) return RawPhrase::is_plain(term.text);
  return term.kind == Term::Kind::word && RawPhrase::is_plain(term.text) &&
         term.text.find(' ') == std::string::npos;
}

// Whether a word's character stands before `at` in the inside of a JSON string: the n of a \n is
// none, and what \u00e9 stands for must be looked at.
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
  one_word_ = looks_.size() == 1 && looks_.front().plain && looks_.front().kind == Term::Kind::word;
}

std::string_view Matcher::text_of(const Passage& passage) {
  if (passage.plain || passage.raw.find('\\') == std::string_view::npos) return passage.raw;
  unescape(passage.raw, text_);
  return text_;
}

bool Matcher::stands_in(const Look& look, const Passage& passage, std::string_view text,
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

// Nothing: the raw text does not tell.
std::optional<bool> Matcher::stands_raw(const Look& look, const Passage& passage) {
  if (!look.plain) return std::nullopt;
  const std::string_view raw = passage.raw;
  if (look.phrase) {
    using Text = RawPhrase::Text;
    const auto place = look.phrase->find(raw, 0, passage.plain ? Text::plain : Text::json);
    if (place) return place->sure ? std::optional(true) : std::nullopt;
  } else {
    const Needle& needle = look.finder->needle();
    for (std::size_t at = 0;; ++at) {
      at = needle.find(raw, at);
      if (at == std::string_view::npos) break;
      const std::optional<bool> inside =
          passage.plain ? word_before(raw, at) : raw_word_before(raw, at);
      if (!inside) return std::nullopt;
      if (!*inside) return true;
    }
  }
  if (Candidates::has_wide_letters(raw)) return std::nullopt;
  return false;
}

bool Matcher::stands_in_slowly(const Passage& passage) {
  const std::string_view text = text_of(passage);
  fold_into(text, accents_, folded_);
  return stands_in(looks_.front(), passage, text, folded_.text);
}

// What most searches are, without making anything of the text.
std::optional<Matcher::Match> Matcher::match_one_word(const RawEntry& entry) {
  std::optional<Match> best;
  for (std::size_t i = 0; i < entry.passages.size(); ++i) {
    const Passage& passage = entry.passages[i];
    if (best && passage.role >= entry.passages[best->passage].role) continue;
    const std::optional<bool> there = stands_raw(looks_.front(), passage);
    if (there ? *there : stands_in_slowly(passage)) best = Match{i};
  }
  return best;
}

std::optional<Matcher::Match> Matcher::match(const RawEntry& entry) {
  if (one_word_) return match_one_word(entry);
  std::vector<bool> met(looks_.size(), false);
  Match best;
  std::size_t most = 0;
  for (std::size_t i = 0; i < entry.passages.size(); ++i) {
    const Passage& passage = entry.passages[i];
    std::optional<std::string_view> text;  // once it is needed
    std::size_t count = 0;
    for (std::size_t term = 0; term < looks_.size(); ++term) {
      std::optional<bool> there = stands_raw(looks_[term], passage);
      if (!there) {
        if (!text) fold_into(*(text = text_of(passage)), accents_, folded_);
        there = stands_in(looks_[term], passage, *text, folded_.text);
      }
      if (!*there) continue;
      if (looks_[term].excluded) return std::nullopt;
      met[term] = true;
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
    if (!met[term] && !looks_[term].excluded) return std::nullopt;
  return best;
}

// Where it stands in raw JSON, whatever that is there; nothing: nowhere, or that cannot be seen.
std::optional<Matcher::Stand> Matcher::next_stand(const Look& look, std::string_view body,
                                                  std::size_t from) {
  if (look.phrase) {
    const auto place = look.phrase->find(body, from);
    return place && place->sure ? std::optional(Stand{place->begin, place->end}) : std::nullopt;
  }
  const Needle& needle = look.finder->needle();
  for (;; ++from) {
    from = needle.find(body, from);
    if (from == std::string_view::npos) return std::nullopt;
    const std::optional<bool> inside = raw_word_before(body, from);
    if (!inside) return std::nullopt;
    if (!*inside) return Stand{from, from + needle.bytes().size()};
  }
}

std::optional<Role> Matcher::quick_match(const Look& look, std::string_view body) {
  constexpr int most_tries = 8;
  std::size_t from = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    const std::optional<Stand> stand = next_stand(look, body, from);
    if (!stand) return std::nullopt;
    from = stand->end;
    if (!ends_in_passage(body.substr(0, stand->end), cut_)) continue;
    // What is cut off in a call may be the name of a member.
    if (cut_.passages.back().call) return std::nullopt;
    // Behind what a model thinks, what it says may have it too.
    return cut_.speaker == Role::assistant ? Role::assistant : cut_.passages.back().role;
  }
  return std::nullopt;
}

// What is everywhere stands near the beginning of most texts: what comes behind it need not be read
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
