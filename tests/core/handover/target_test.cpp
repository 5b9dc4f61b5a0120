#include "core/handover/target.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::handover;

TEST_CASE("an id fits by its characters and its length") {
  const IdRule plain{.max = 12};
  CHECK(fits("a", plain));
  CHECK(fits("Az09_-Az09_-", plain));
  CHECK_FALSE(fits("", plain));
  CHECK_FALSE(fits("Az09_-Az09_-x", plain));
  for (const char* refused : {"a b", "a.b", "a|b", "\u00e9"}) CHECK_FALSE(fits(refused, plain));

  const IdRule nine{.max = 9, .exact = true, .alphanumeric = true};
  CHECK(fits("abcDEF012", nine));
  for (const char* refused : {"abcDEF01", "abcDEF0123", "abc_EF012"})
    CHECK_FALSE(fits(refused, nine));
}

TEST_CASE("a name that is none becomes the nearest one") {
  CHECK(tool_name("mcp__a-b") == "mcp__a-b");
  CHECK(tool_name("a.b/c d") == "a_b_c_d");
  CHECK(tool_name("9lives") == "_9lives");
  CHECK(tool_name("") == "unknown_tool");
  CHECK(tool_name(std::string(100, 'n')) == std::string(64, 'n'));
  CHECK(tool_name("9" + std::string(100, 'n')) == "_9" + std::string(62, 'n'));
}

TEST_CASE("an image is taken by its type, its size and whether there is one") {
  Target target = target_for(WireFormat::anthropic, "anthropic", "m");
  target.max_image_bytes = 4;
  CHECK(takes({"image/png", "blob"}, target));
  CHECK(takes({"image/png", "", "1234"}, target));
  CHECK_FALSE(takes({"image/png", "", "12345"}, target));
  CHECK_FALSE(takes({"image/png"}, target));
  CHECK_FALSE(takes({"image/tiff", "blob"}, target));
  CHECK_FALSE(takes({"image/gif", "blob"}, target_for(WireFormat::google, "google", "m")));
  target.takes_images = false;
  CHECK_FALSE(takes({"image/png", "blob"}, target));
}
