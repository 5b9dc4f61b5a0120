#include "repl/screen/amounts.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("counts are short") {
  CHECK(short_count(0) == "0");
  CHECK(short_count(999) == "999");
  CHECK(short_count(1000) == "1.0k");
  CHECK(short_count(12'345) == "12.3k");
  CHECK(short_count(999'949) == "999.9k");
  CHECK(short_count(999'950) == "1.0M");
  CHECK(short_count(1'234'567) == "1.2M");
  CHECK(short_count(999'950'000) == "1.0G");
}

TEST_CASE("durations are said in the unit people would use") {
  CHECK(short_duration(12) == "12 ms");
  CHECK(short_duration(1'500) == "1.5 s");
  CHECK(short_duration(59'999) == "59.9 s");
  CHECK(short_duration(185'000) == "3 min");
  CHECK(short_duration(7'200'000) == "2 h");
  CHECK(short_duration(200'000'000) == "2 days");
}

TEST_CASE("small sums of money keep their digits") {
  CHECK(dollars(0) == "$0.00");
  CHECK(dollars(0.0123) == "$0.0123");
  CHECK(dollars(1.234) == "$1.23");
}

TEST_CASE("a part of nothing has no percentage") {
  CHECK(percent(1, 0) == "-");
  CHECK(percent(1, 4) == "25%");
}
