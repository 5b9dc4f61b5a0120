#include "core/text/text.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("counts keep three digits, and never show a thousand of a unit") {
  CHECK(short_count(0) == "0");
  CHECK(short_count(999) == "999");
  CHECK(short_count(1000) == "1.0k");
  CHECK(short_count(6234) == "6.2k");
  CHECK(short_count(45'249) == "45.2k");
  CHECK(short_count(99'949) == "99.9k");
  CHECK(short_count(99'950) == "100k");
  CHECK(short_count(123'456) == "123k");
  CHECK(short_count(999'499) == "999k");
  CHECK(short_count(999'500) == "1.0M");
  CHECK(short_count(1'234'567) == "1.2M");
  CHECK(short_count(999'950'000) == "1.0G");
}

TEST_CASE("sizes are told in the unit that keeps them short") {
  CHECK(short_bytes(0) == "0 bytes");
  CHECK(short_bytes(1) == "1 byte");
  CHECK(short_bytes(999) == "999 bytes");
  CHECK(short_bytes(6'234) == "6.2 kB");
  CHECK(short_bytes(12'345'678) == "12.3 MB");
  CHECK(short_bytes(1'234'567'890) == "1.2 GB");
}

TEST_CASE("durations are told in one unit or two, and never rounded up") {
  CHECK(short_duration(-5) == "0 ms");
  CHECK(short_duration(12) == "12 ms");
  CHECK(short_duration(999) == "999 ms");
  CHECK(short_duration(2199) == "2.1 s");
  CHECK(short_duration(9'999) == "9.9 s");
  CHECK(short_duration(14'200) == "14 s");
  CHECK(short_duration(59'999) == "59 s");
  CHECK(short_duration(125'400) == "2 min 5 s");
  CHECK(short_duration(3'599'999) == "59 min 59 s");
  CHECK(short_duration(7'500'000) == "2 h 5 min");
  CHECK(short_duration(200'000'000) == "2 days 7 h");
}

TEST_CASE("small amounts of money keep digits that say something") {
  CHECK(dollars(0) == "$0.00");
  CHECK(dollars(0.00123) == "$0.0012");
  CHECK(dollars(0.0114) == "$0.011");
  CHECK(dollars(0.123) == "$0.12");
  CHECK(dollars(1.234) == "$1.23");
}

TEST_CASE("of nothing there is no part") {
  CHECK(percent(1, 0) == "-");
  CHECK(percent(1, 4) == "25%");
}

TEST_CASE("one is not many") {
  CHECK(counted(0, "turn") == "0 turns");
  CHECK(counted(1, "turn") == "1 turn");
  CHECK(counted(1234, "entry", "entries") == "1,234 entries");
}
