// Regular expressions for grep, in time linear in the text.
//
// Not std::regex (recursive: a long line overflows the stack) and not regexec(3) (back references
// and nested repeats take exponential time or gigabytes, and \d is unknown to it). This is
// Thompson's simulation over code points: no backtracking, memory bounded by the pattern, which is
// itself bounded. Syntax as models write it: . [] [^] () (?:) | * + ? {m,n} and their lazy forms,
// ^ $ \b \B \d \D \w \W \s \S \t \n \r \f \v \xHH \x{H…} \uHHHH, and (?i) at the start. No back
// references and no look-around: they are refused, not misread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace skein {

class Regex {
 public:
  enum class Case { sensitive, ignored };
  // The expression, or the sentence that says what is wrong with it.
  static std::variant<Regex, std::string> compile(std::string_view pattern, Case letter_case);

  // Whether it matches anywhere in `line`, which is one line. Bytes that are not UTF-8 match as
  // one character each. `give_up` is asked now and then; once it says so the answer is no.
  bool found_in(std::string_view line, const std::function<bool()>& give_up = {}) const;

  // Bytes every matching line holds; empty if none are known. A fast way to say no.
  const std::string& required() const { return required_; }

  struct Range {
    char32_t low, high;
    bool operator==(const Range&) const = default;
  };
  struct Step {
    enum class Kind { set, split, jump, line_start, line_end, boundary, no_boundary, match } kind;
    std::uint32_t a = 0,
                  b = 0;  // next steps of a split (a: the only one of a jump); the set's index
  };
  struct Set {
    std::vector<Range> ranges;
    bool negated = false;
    bool holds(char32_t c) const;
  };

 private:
  friend class RegexParser;
  std::vector<Step> steps_;
  std::vector<Set> sets_;
  std::string required_;
  bool ignore_case_ = false;
};

}  // namespace skein
