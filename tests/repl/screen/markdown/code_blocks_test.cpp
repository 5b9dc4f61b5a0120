#include "repl/screen/markdown/line.h"

#include <doctest/doctest.h>

using skein::screen::markdown::code_blocks;
using Blocks = std::vector<std::string>;

TEST_CASE("code is taken out of an answer as it would be pasted") {
  CHECK(code_blocks("no code, only `a word` of it\n") == Blocks{});
  CHECK(code_blocks("so:\n```sh\nmake\n  all\n```\nand\n~~~\n```\n~~~\n") ==
        Blocks{"make\n  all\n", "```\n"});
  CHECK(code_blocks("1. first:\n\n   ```c\n   int a;\n     int b;\n   ```\n") ==
        Blocks{"int a;\n  int b;\n"});
  CHECK(code_blocks("> ```\n> quoted\n> ```\n") == Blocks{"quoted\n"});
}

TEST_CASE("a block that was cut short is a block, and an empty one too") {
  CHECK(code_blocks("```\nhalf of") == Blocks{"half of\n"});
  CHECK(code_blocks("```\n```\n") == Blocks{""});
}
