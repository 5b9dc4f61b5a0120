// A phrase of ASCII letters, digits and blanks looked for in JSON as it is stored, where its blanks
// may be any white space, escaped or not. Nothing is unescaped or folded for it: one of its words
// is found where a blank may follow, and what stands around that is compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/search/needle.h"

namespace skein::search {

class RawPhrase {
 public:
  // `folded` must be plain, with a letter or digit in it.
  explicit RawPhrase(std::string_view folded);

  struct Place {
    std::size_t begin = 0, end = 0;  // of one of its words, if it is not sure
    bool sure = true;                // else only the folded text can tell
  };
  enum class Text { json, plain };
  // The first place at or after `from` where it stands, or may stand. Letters that only their width
  // makes different are not seen.
  std::optional<Place> find(std::string_view raw, std::size_t from = 0,
                            Text text = Text::json) const;

  static bool is_plain(std::string_view folded);
  // How much it tells apart: see Needle.
  unsigned rarity() const { return rarity_; }
  const Needle& one_word() const { return word_; }

 private:
  enum class Fit { no, yes, unsure };
  Fit fits_after(std::string_view raw, std::size_t& at, Text text) const;
  Fit fits_before(std::string_view raw, std::size_t& at, Text text) const;
  std::size_t next_before_gap(std::string_view raw, std::size_t from) const;

  Needle word_;                     // before the rarest gap; or the only one
  std::string before_{}, after_{};  // what stands around it
  char last_ = 0, first_ = 0;       // around the gap; 0: there is none
  unsigned rarity_ = 0;
};

}  // namespace skein::search
