// Which raw lines are worth a look: a test on bytes that never misses a line that fits, and passes
// over most of those that do not.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/search/needle.h"
#include "core/search/query.h"
#include "core/search/raw_phrase.h"

namespace skein::search {

class Candidates {
 public:
  explicit Candidates(const Query& query);
  // Lines with this in them as well, whatever they say.
  void add(std::string_view bytes);

  // The first place at or after `from` that may matter; npos: none. In JSON as it is stored.
  std::size_t next(std::string_view text, std::size_t from) const;

  // Letters or digits that only their width makes different stand in it; they fold to ASCII.
  static bool has_wide_letters(std::string_view text) {
    return next_wide_letter(text, 0) != std::string_view::npos;
  }

 private:
  static std::size_t next_wide_letter(std::string_view text, std::size_t from);
  void look_for(const Term& term);

  bool everything_ = false;  // nothing is known that every match has
  bool wide_ = true;         // wide letters may be a match
  std::vector<Needle> needles_{};
  std::optional<RawPhrase> phrase_{};  // instead of needles
};

}  // namespace skein::search
