// When a model's service stops it, as a sentence for the user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "providers/catalog/catalog.h"

namespace skein::catalog {

// Whole days from `now` (ms since 1970) to the day `date` (2026-11-30) in UTC; negative: it is
// past.
std::optional<std::int64_t> days_until(std::string_view date, std::int64_t now);

// "ends in 15 days, then claude-sonnet-5-5"; empty: no end is known.
std::string ending_text(const ModelRow& row, std::int64_t now);
std::string ending_text(const RetiredRow& row);

// What to say of a model that has ended, whoever knows it; empty: it has not, as far as is known.
std::string ended_text(const Catalog& catalog, const model::ModelRef& ref, std::int64_t now);

}  // namespace skein::catalog
