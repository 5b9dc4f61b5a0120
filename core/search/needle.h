// Finds a few bytes in many, ASCII letters in either case: the two rarest of them are compared
// sixteen places at a time, and only where both fit are the others looked at.
#pragma once

#include <string>
#include <string_view>

namespace skein::search {

class Needle {
 public:
  explicit Needle(std::string_view bytes);  // at least one

  // The first place at or after `from`; npos: none.
  std::size_t find(std::string_view text, std::size_t from = 0) const;
  // Whether it stands there; `at` must leave room for it.
  bool stands(std::string_view text, std::size_t at) const { return stands_at(text.data() + at); }
  const std::string& bytes() const { return bytes_; }
  // How much it tells apart: the more, the fewer texts have it by chance.
  unsigned rarity() const { return rarity_; }

 private:
  bool stands_at(const char* place) const;

  std::string bytes_;  // letters in lower case
  std::size_t first_ = 0, second_ = 0;
  unsigned rarity_ = 0;
};

}  // namespace skein::search
