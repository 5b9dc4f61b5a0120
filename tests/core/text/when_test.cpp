#include "core/text/text.h"

#include <doctest/doctest.h>

#include "core/text/base.h"

using namespace skein;

TEST_CASE("a length of time is a number and a unit") {
  CHECK(duration_ms("12h") == 12 * 3'600'000);
  CHECK(duration_ms("2w") == 14 * 86'400'000);
  for (const char* bad : {"", "12", "h", "0d", "-3d", "1.5d", "3 d", "99999999d", "3m"})
    CHECK_FALSE(duration_ms(bad));
}

TEST_CASE("a time is a length before now, a day or a timestamp") {
  const std::int64_t now = *ms_from_utc("2026-11-16T12:00:00.000Z");
  CHECK(time_ms("7d", now) == ms_from_utc("2026-11-09T12:00:00.000Z"));
  CHECK(time_ms("2026-11-01", now) == ms_from_utc("2026-11-01T00:00:00.000Z"));
  CHECK(time_ms("2026-11-01T02:03:04.000Z", now) == ms_from_utc("2026-11-01T02:03:04.000Z"));
  for (const char* bad : {"", "soon", "2026-13-01", "11-01-2026"}) CHECK_FALSE(time_ms(bad, now));
}
