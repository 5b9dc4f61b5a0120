#include "tests/support/markdown_samples.h"

#include <iterator>
#include <string_view>

namespace skein::test {

namespace {

constexpr std::string_view starts[] = {
    "",     "",       "",       "# ", "### ",  "- ",    "* ",     "  - ",  "1. ",  "> ",
    "> > ", "- [ ] ", "- [x] ", "| ", "|---|", "```",   "```cpp", "~~~",   "    ", "---",
    "***",  "#",      "-",      "+ ", "10) ",  "  ```", "> ```",  "* * *", "\t",   "____",
};

constexpr std::string_view parts[] = {
    "word",
    "words and more ",
    "**",
    "*",
    "_",
    "`",
    "``",
    "~~",
    "[text](",
    ")",
    "](",
    "[",
    "]",
    "https://x.org/a?b=c",
    "<https://a.b>",
    "<",
    ">",
    "|",
    " | ",
    "\\",
    "\\*",
    "!",
    "![",
    "größer",
    "漢字。",
    "🫠",
    "👩\u200D👧",
    "e\u0301",
    "snake_case",
    "2*3*4",
    "  ",
    " ",
    "\"quoted\"",
    "// c",
    "/* open",
    "int x = 1;",
    "#include",
    "***",
    "****",
    "averyveryverylongwordwithoutanyspaceatall",
    "1. ",
    "- ",
    "<br>",
    "€",
    "~",
    "a.b",
    ":",
};

constexpr std::string_view sentence =
    "The parser reads one line at a time and keeps what it cannot yet tell, so that nothing has to "
    "be painted twice. Most lines are plain prose like this one, with a comma here and there. ";

constexpr std::string_view answer = R"(## What happens

The lexer counts a **tab** as one column, so `column` is wrong after the first one. Three things follow:

1. Error messages point to the *wrong* place.
2. The formatter, see [its page](https://example.org/format), moves comments.
3. Nothing else; `parse()` does not look at columns at all.

- [x] found
- [ ] fixed, which takes a new `tab_width`

```cpp
// Advances to the next tab stop.
std::size_t next_stop(std::size_t column) {
  return column + tab_width - (column - 1) % tab_width;  // "8" by default
}
```

| file | lines | change |
|---|--:|---|
| src/lexer.cpp | 88 | the stop |
| tests/lexer_test.cpp | 12 | two cases |

> Tabs are eight columns, and indentations are eight columns.

)";

}  // namespace

std::string random_markdown(std::mt19937& random) {
  std::string out;
  const std::size_t lines = 1 + random() % 12;
  for (std::size_t i = 0; i < lines; ++i) {
    out += starts[random() % std::size(starts)];
    for (std::size_t n = random() % 9; n > 0; --n) out += parts[random() % std::size(parts)];
    if (random() % 40 == 0) out += std::string(900, "*`_[x"[random() % 5]);
    if (random() % 120 == 0) out += std::string(4200, "- x"[random() % 3]);
    if (i + 1 < lines || random() % 2 == 0) out += random() % 5 == 0 ? "\n\n" : "\n";
  }
  return out;
}

std::string plain_prose(std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) {
    for (int i = 0; i < 4; ++i) out += sentence;
    out.back() = '\n';
    out += '\n';
  }
  return out;
}

std::string long_answer(std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) out += answer;
  return out;
}

}  // namespace skein::test
