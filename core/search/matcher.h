// Whether an entry has what a query asks for, in which of its passages, and what is shown of it.
#pragma once

#include "core/text/std.h"

#include "core/search/candidates.h"
#include "core/search/passages.h"
#include "core/search/query.h"

namespace skein::search {

// A few words around what was found, on one line.
struct Snippet {
  std::string text{};  // untrusted, but without line ends
  // What fits the query, from a character to before another, in order, none within another.
  // Counted in code points.
  std::vector<std::pair<std::size_t, std::size_t>> offsets{};
};

Snippet snippet_of(std::string_view text, const Query& query, std::size_t characters = 160);

// Where a term is in a folded text: the first place at or after `from`; npos: nowhere.
class TermFinder {
 public:
  explicit TermFinder(const Term& term);  // of no regex
  std::size_t find(std::string_view folded, std::size_t from = 0) const;
  const Needle& needle() const { return needle_; }

 private:
  Needle needle_;
  bool bordered_ = false;  // it begins where a word does
};

// Keeps buffers, so one for each thread.
class Matcher {
 public:
  explicit Matcher(const Query& query);

  struct Match {
    std::size_t passage = 0;  // that shows it best
    bool together = false;    // all words stand side by side in it
  };
  std::optional<Match> match(const RawEntry& entry);
  // Of plain words and phrases: who says them at best in a message that has them all, without
  // reading further than to where each is first. Nothing: match() must tell.
  std::optional<Role> quick_match(std::string_view body);
  // Whether what match() finds can have all words side by side.
  bool ranks_together() const { return side_by_side_.has_value(); }
  // The same of a text by itself.
  bool fits(std::string_view text);

 private:
  struct Look {
    Term::Kind kind;
    bool excluded;
    bool plain = false;  // ASCII letters and digits, and blanks in a phrase: raw JSON can be asked
    std::optional<TermFinder> finder{};
    std::optional<Regex> regex{};
    std::optional<RawPhrase> phrase{};  // of a plain one
  };
  std::optional<Role> quick_match(const Look& look, std::string_view body);
  static std::optional<RawPhrase::Place> find_raw(const Look& look, std::string_view raw,
                                                  std::size_t from, RawPhrase::Text text);
  static bool is_in(const Look& look, const Passage& passage, std::string_view text,
                    std::string_view folded);
  static std::optional<bool> is_in_raw(const Look& look, const Passage& passage);
  std::string_view text_of(const Passage& passage);

  Accents accents_;
  std::vector<Look> looks_{};
  bool quick_ = false;  // nothing but plain words and phrases, all of them wanted
  std::optional<Needle> side_by_side_{};
  std::vector<bool> met_{};
  RawEntry cut_{};
  std::string text_{};
  Folded folded_{};
};

}  // namespace skein::search
