#include "core/model/provider.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::model;

TEST_CASE("four bytes of Latin are a token, a Chinese character is one, an emoji two") {
  CHECK(tokens_of("") == 0);
  CHECK(tokens_of("abcd") == 1);
  CHECK(tokens_of("abcde") == 2);
  CHECK(tokens_of("größe") == 2);
  CHECK(tokens_of("日本語") == 3);
  CHECK(tokens_of("🙂🙂") == 4);
}

TEST_CASE("an image costs the same whatever its bytes") {
  const Block small = Image{"image/png", "blob", std::string(10, 'x')};
  const Block large = Image{"image/png", "blob", std::string(100'000, 'x')};
  CHECK(tokens_of(small) == tokens_of(large));
  CHECK(tokens_of(small) >= tokens_of_image);
}

TEST_CASE("what stands inside a result is counted") {
  const Block empty = ToolResult{"a", {}};
  const Block full = ToolResult{"a", {Text{std::string(4000, 'x')}}};
  CHECK(tokens_of(full) - tokens_of(empty) == 1003);
}

TEST_CASE("the schema of a tool is counted") {
  CHECK(tokens_of(ToolSpec{"read", "", std::string(400, ' ')}) -
            tokens_of(ToolSpec{"read", "", ""}) ==
        100);
}
