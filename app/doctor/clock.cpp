// The clock, held against what is known to be in the past: the newest entry, and skein's own file.
#include <sys/stat.h>
#include <sys/timex.h>

#include "app/doctor/checks.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/when.h"

namespace skein::doctor {

namespace {

// Machines that share a home may differ by a little.
constexpr std::int64_t tolerance_ms = 5'000;

struct Newest {
  std::string key{};
  std::int64_t ms = 0;
};
Newest newest_entry(std::span<const store::SessionRecord> sessions) {
  Newest newest;
  for (const store::SessionRecord& record : sessions)
    if (const auto used = ms_from_utc(record.used_at()); used && *used > newest.ms)
      newest = {record.key, *used};
  return newest;
}

std::int64_t installed_ms() {
  struct stat facts {};
  if (stat("/proc/self/exe", &facts) != 0) return 0;
  return static_cast<std::int64_t>(facts.st_mtim.tv_sec) * 1000;
}

}  // namespace

Finding look_at_clock(const Surroundings& here) {
  Finding found;
  const std::int64_t now = now_ms();
  const Newest newest = newest_entry(here.sessions);
  const std::string remedy = ": set it, or what you say now seems older than what was said before";
  if (newest.ms > now + tolerance_ms)
    found.problems.push_back("the clock says " + utc_from_ms(now) + ", which is " +
                             short_duration(newest.ms - now) + " before the newest entry of " +
                             newest.key + remedy);
  if (installed_ms() > now + day_ms)
    found.problems.push_back("the clock says " + utc_from_ms(now) +
                             ", which is before this skein was made" + remedy);
  timex state{};
  const bool kept = adjtimex(&state) != TIME_ERROR;
  found.note = utc_from_ms(now) + (found.problems.empty() ? ", after the newest entry" : "");
  if (found.problems.empty() && here.sessions.empty()) found.note = utc_from_ms(now);
  found.details.emplace_back(kept ? "the system keeps it in step with a time server"
                                  : "the system does not say that a time server sets it");
  found.facts =
      dump({{"now", utc_from_ms(now)},
            {"newest_entry", newest.ms > 0 ? Json(utc_from_ms(newest.ms)) : Json(nullptr)},
            {"synchronized", kept}});
  return found;
}

}  // namespace skein::doctor
