#include "providers/catalog/ending.h"

#include <algorithm>

#include "core/text/base.h"

namespace skein::catalog {

std::optional<std::int64_t> days_until(std::string_view date, std::int64_t now) {
  constexpr std::int64_t day = 24 * 60 * 60 * 1000;
  const std::optional<std::int64_t> end = ms_from_utc(std::string(date) + "T00:00:00.000Z");
  if (!end) return std::nullopt;
  return *end / day - now / day;
}

std::string ending_text(const ModelRow& row, std::int64_t now) {
  const std::optional<std::int64_t> days = days_until(row.ends, now);
  if (!days) return {};
  const std::string then = row.instead.empty() ? "" : ", then " + std::string(row.instead);
  if (*days < 0)
    return "ended " + std::string(row.ends) +
           (row.instead.empty() ? "" : "; use " + std::string(row.instead));
  if (*days == 0) return "ends today" + then;
  return "ends in " + std::to_string(*days) + (*days == 1 ? " day" : " days") + then;
}

std::string ending_text(const RetiredRow& row) {
  return "ended " + std::string(row.ended) + "; use " + std::string(row.instead);
}

std::string ended_text(const Catalog& catalog, const model::ModelRef& ref, std::int64_t now) {
  if (const RetiredRow* retired = catalog.find_retired(ref))
    return ref.model + " " + ending_text(*retired);
  const ModelRow row = catalog.find_model(ref);
  const std::optional<std::int64_t> days = days_until(row.ends, now);
  return days && *days < 0 ? ref.model + " " + ending_text(row, now) : std::string{};
}

}  // namespace skein::catalog
