#include "core/search/snippet.h"

#include <algorithm>
#include <set>

#include "core/search/matcher.h"
#include "core/text/base.h"
#include "core/text/utf8.h"

namespace skein::search {

namespace {

constexpr std::size_t most_spans = 500;
constexpr std::size_t part_bytes = 1u << 20, overlap = 4096;

struct Span {
  std::size_t begin = 0, end = 0, term = 0;
};

std::vector<Span> spans_in(std::string_view text, const Query& query) {
  std::vector<Span> out;
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
  std::ranges::sort(out, {}, &Span::begin);
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

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The place so many characters before `at`, at the beginning of a word if one is near.
std::size_t back_from(std::string_view text, std::size_t at, std::size_t characters) {
  std::size_t begin = at;
  while (begin > 0 && characters > 0) {
    --begin;
    if ((static_cast<unsigned char>(text[begin]) & 0xC0u) != 0x80u) --characters;
  }
  if (begin == 0) return 0;
  for (std::size_t i = begin; i < at && i < begin + 20; ++i)
    if (is_space(text[i])) return i + 1;
  return begin;
}

// Where the window should begin: before the match that has the most different terms behind it.
std::size_t best_start(const std::vector<Span>& spans, std::size_t characters) {
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

}  // namespace

Snippet snippet_of(std::string_view whole, const Query& query, std::size_t characters) {
  const std::string_view text = part_with(whole, query);
  const std::vector<Span> spans = spans_in(text, query);
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
    const bool blank = is_space(text[at]);
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

}  // namespace skein::search
