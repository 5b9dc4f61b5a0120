#include "core/store/damage_text.h"

#include "core/text/amounts.h"

namespace skein::store {

std::string damage_notice(const DamageCount& damage, const std::string& key) {
  if (!damage.any()) return {};
  std::string what;
  const auto add = [&](std::int64_t count, const char* one, const char* many) {
    if (count > 0)
      what += (what.empty() ? "" : "; ") + counted(static_cast<std::size_t>(count), one, many);
  };
  add(damage.altered, "entry was altered since it was written, and is used as it stands now",
      "entries were altered since they were written, and are used as they stand now");
  add(damage.broken, "place cannot be read any more, and what stood there is left out",
      "places cannot be read any more, and what stood there is left out");
  add(damage.gaps, "place where something is missing", "places where something is missing");
  return "the transcript of " + key + " is damaged: " + what + ". `skein doctor " + key +
         "` shows where, and changes nothing";
}

}  // namespace skein::store
