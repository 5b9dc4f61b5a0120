#include "core/text/encoding.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("bytes survive base64, whatever their number") {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    CHECK(from_base64(base64(bytes)) == bytes);
    bytes += static_cast<char>(i * 7);
  }
  CHECK(base64("Man") == "TWFu");
  CHECK(base64("Ma") == "TWE=");
}

TEST_CASE("base64 of other programs is read: no padding, line ends, the alphabet of URLs") {
  CHECK(from_base64("TWE") == "Ma");
  CHECK(from_base64("TW\r\nFu\n") == "Man");
  CHECK(from_base64("-_8=") == "\xFB\xFF");
  CHECK_FALSE(from_base64("TW!u"));
}
