// Insights as one file for a browser: drawn in SVG, without a script, without a request to
// anywhere, light or dark as the reader's system is.
#pragma once

#include <string>

#include "core/insights/tally.h"

namespace skein::insights {

std::string as_html(const Insights& insights, std::int64_t now_ms);

}  // namespace skein::insights
