// How a pattern's text becomes a Regex.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tools/regex.h"

namespace skein {

class RegexParser {
 public:
  RegexParser(std::string_view pattern, Regex::Case letter_case);
  std::variant<Regex, std::string> parse();

 private:
  using Steps = std::vector<Regex::Step>;  // jumps are relative until the end
  Steps alternatives();
  Steps sequence();
  Steps repeated();
  Steps atom();
  Steps escape();
  Steps one_of(Regex::Set set);
  Steps character(char32_t c);
  Steps repeat(const Steps& piece, int least, int most);
  bool counts(int& least, int& most);
  Regex::Set bracket();
  char32_t escaped_char();
  bool escaped_class(char c, Regex::Set& set) const;
  char32_t take();
  bool accept(std::string_view text);
  bool at_end() const { return rest_.empty() || !problem_.empty(); }
  Steps fail(std::string problem);

  std::string_view rest_;
  Regex regex_;
  std::string problem_;
  int depth_ = 0;
};

}  // namespace skein
