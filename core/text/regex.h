// Regular expressions for grep: RE2, whose time is linear in the text and whose memory is bounded
// whatever the pattern is. Its syntax, and \uHHHH as models write it; no back references and no
// look-around: they are refused, not misread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace re2 {
class RE2;
}

namespace skein {

class Regex {
 public:
  enum class Case { sensitive, ignored };
  // The expression, or the sentence that says what is wrong with it.
  static std::variant<Regex, std::string> compile(std::string_view pattern, Case letter_case);

  // Whether it matches anywhere in `line`, which is one line of UTF-8. `give_up` is asked between
  // its pieces; once it says so the answer is no.
  bool found_in(std::string_view line, const std::function<bool()>& give_up = {}) const;

  // Where the first match in `line` is, one that is not empty; nothing if there is none.
  struct Place {
    std::size_t begin = 0, end = 0;
  };
  std::optional<Place> first_in(std::string_view line, std::size_t from = 0) const;

  // A longer line is searched in overlapping pieces, since RE2 cannot be stopped on its way: a
  // match of more than half of this may go unseen in it.
  std::size_t piece_bytes() const { return piece_bytes_; }

  // Bytes every matching line holds; empty if none are known. A fast way to say no.
  const std::string& required() const { return required_; }

 private:
  std::shared_ptr<const re2::RE2> expression_;
  std::string required_;
  std::size_t piece_bytes_ = 0;
};

}  // namespace skein
