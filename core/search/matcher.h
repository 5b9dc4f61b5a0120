// Whether an entry has what a query asks for, and in which of its passages. Keeps buffers, so one
// for each thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/search/needle.h"
#include "core/search/passages.h"
#include "core/search/query.h"
#include "core/search/raw_phrase.h"

namespace skein::search {

// Where a term stands in a folded text: the first place at or after `from`; npos: nowhere.
class TermFinder {
 public:
  explicit TermFinder(const Term& term);  // of no regex
  std::size_t find(std::string_view folded, std::size_t from = 0) const;
  const Needle& needle() const { return needle_; }

 private:
  Needle needle_;
  bool bordered_ = false;  // it begins where a word does
};

class Matcher {
 public:
  explicit Matcher(const Query& query);

  struct Match {
    std::size_t passage = 0;  // that shows it best
    bool together = false;    // all words stand side by side in it
  };
  std::optional<Match> match(const RawEntry& entry);
  // Of plain words and phrases: who says them at best in a message that has them all, without
  // reading further than to where each stands first. Nothing: match() must tell.
  std::optional<Role> quick_match(std::string_view body);
  // Whether what match() finds can have all words side by side.
  bool ranks_together() const { return side_by_side_.has_value(); }
  // The same of a text that stands alone.
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
  struct Stand {
    std::size_t begin, end;
  };
  std::optional<Role> quick_match(const Look& look, std::string_view body);
  static std::optional<Stand> next_stand(const Look& look, std::string_view body, std::size_t from);
  static bool stands_in(const Look& look, const Passage& passage, std::string_view text,
                        std::string_view folded);
  static std::optional<bool> stands_raw(const Look& look, const Passage& passage);
  std::optional<Match> match_one_word(const RawEntry& entry);
  bool stands_in_slowly(const Passage& passage);
  std::string_view text_of(const Passage& passage);

  Accents accents_;
  std::vector<Look> looks_{};
  bool one_word_ = false;
  bool quick_ = false;  // nothing but plain words and phrases, all of them wanted
  std::optional<Needle> side_by_side_{};
  RawEntry cut_{};
  std::string text_{};
  Folded folded_{};
};

}  // namespace skein::search
