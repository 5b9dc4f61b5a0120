// Bytes and phrases found in text as it is stored, many places at a time; and so which raw lines
// are worth a look: a test on bytes that never misses a line that fits, and passes
// over most of those that do not.
#pragma once

#include "core/text/std.h"

#include "core/search/query.h"

namespace skein::search {

inline bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Sixteen bytes in one register, on every processor we build for, and compared at once.
using Lanes [[gnu::vector_size(16)]] = unsigned char;
inline constexpr std::size_t lane_count = sizeof(Lanes);

inline Lanes load_lanes(const char* from) {
  Lanes out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

inline Lanes all_lanes(char byte) { return Lanes{} + static_cast<unsigned char>(byte); }

inline bool any_lane(Lanes lanes) {
  std::uint64_t halves[2];
  std::memcpy(halves, &lanes, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

// The first lane of those that are all ones (the others are all zeros) of which `fits` is true;
// lane_count: none.
template <class Fits>
std::size_t first_lane(Lanes lanes, Fits fits) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t halves[2];
  std::memcpy(halves, &lanes, sizeof halves);
  for (std::size_t half = 0; half < 2; ++half)
    for (std::uint64_t rest = halves[half]; rest != 0;) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest)) / 8;
      if (fits(8 * half + lane)) return 8 * half + lane;
      rest &= ~(std::uint64_t{0xFF} << (8 * lane));
    }
  return lane_count;
}

// Finds a few bytes in many, ASCII letters in either case: the two rarest of them are compared
// sixteen places at a time, and only where both fit are the others looked at.
class Needle {
 public:
  explicit Needle(std::string_view bytes);  // at least one

  // The first place at or after `from`; npos: none.
  std::size_t find(std::string_view text, std::size_t from = 0) const;
  // Whether it is there; `at` must leave room for it.
  bool is_at(std::string_view text, std::size_t at) const { return stands_at(text.data() + at); }
  const std::string& bytes() const { return bytes_; }
  // How much it tells apart: the more, the fewer texts have it by chance.
  unsigned rarity() const { return rarity_; }

 private:
  bool stands_at(const char* place) const;

  std::string bytes_;  // letters in lower case
  std::size_t first_ = 0, second_ = 0;
  unsigned rarity_ = 0;
};

// A phrase of ASCII letters, digits and blanks looked for in JSON as it is stored, where its blanks
// may be any white space, escaped or not. Nothing is unescaped or folded for it: one of its words
// is found where a blank may follow, and what is around that is compared.
class RawPhrase {
 public:
  // `folded` must be plain, with a letter or digit in it.
  explicit RawPhrase(std::string_view folded);

  struct Place {
    std::size_t begin = 0, end = 0;  // of one of its words, if it is not sure
    bool sure = true;                // else only the folded text can tell
  };
  enum class Text { json, plain };
  // The first place at or after `from` where it is, or may be. Letters that only their width
  // makes different are not seen.
  std::optional<Place> find(std::string_view raw, std::size_t from = 0,
                            Text text = Text::json) const;

  static bool is_plain(std::string_view folded);
  // How much it tells apart: see Needle.
  unsigned rarity() const { return rarity_; }
  const Needle& one_word() const { return word_; }

 private:
  enum class Fit { no, yes, unsure };
  static Fit fits(std::string_view wanted, std::string_view raw, std::size_t& at, Text text,
                  bool forward);
  std::size_t next_before_gap(std::string_view raw, std::size_t from) const;

  Needle word_;                     // before the rarest gap; or the only one
  std::string before_{}, after_{};  // what is around it
  char last_ = 0, first_ = 0;       // around the gap; 0: there is none
  unsigned rarity_ = 0;
};

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
