// Patterns for text and paths. Regex is RE2, whose time is linear in the text and whose memory is
// bounded whatever the pattern is: its syntax, and \uHHHH as models write it; no back references
// and no look-around, which are refused. glob_match is for paths.
#pragma once

#include "core/text/std.h"

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

  struct Span {
    std::size_t begin = 0, end = 0;
  };
  // Where the first match in `line` is, one that is not empty; nothing if there is none.
  std::optional<Span> first_in(std::string_view line, std::size_t from = 0) const;

  // A longer line is searched in overlapping pieces, since RE2 cannot be stopped on its way: a
  // match of more than half of this may go unseen in it.
  std::size_t piece_bytes() const { return piece_bytes_; }

  // For patterns of our own, over bytes of any kind and length; `.` is any of them. Throws Error if
  // the pattern is wrong.
  static Regex of_bytes(std::string_view pattern);

  struct Match {
    Span whole{};
    Span group{};  // found exactly: the first one of the pattern; else, or without one, the whole
  };
  // The first match that begins at `from` or later, or exactly there; what is before it in `text`
  // still counts for \b.
  enum class Place { anywhere, exactly };
  std::optional<Match> find(std::string_view text, std::size_t from,
                            Place place = Place::anywhere) const;

  // Bytes every matching line holds; empty if none are known. A fast way to say no.
  const std::string& required() const { return required_; }

 private:
  std::shared_ptr<const re2::RE2> expression_;
  std::string required_;
  std::size_t piece_bytes_ = 0;
};

// `*` and `?` match anything but a slash, `**` between slashes (or at an end) any number of
// folders, `[a-z]`, `[!a-z]` and `[[:alpha:]]` one of a set, `\` takes the next character as it is.
// At most linear in pattern × text, whatever the pattern.
bool glob_match(std::string_view pattern, std::string_view text);
// The pattern that matches this text alone.
std::string glob_quoted(std::string_view text);

}  // namespace skein
