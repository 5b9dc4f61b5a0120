// Insights as JSON for scripts and as a page for a browser.
#pragma once

#include "core/insights/tally.h"
#include "core/text/base.h"

namespace skein::insights {

// {since, sessions, prompts, calls, tokens: {…}, cost_usd, …, models: […], tools: […]}, and with
// groups by day, week or project those as well. What is not known is null.
JsonText as_json(const Insights& insights, By by, std::int64_t now_ms);

// One file: drawn in SVG, without a script, without a request to anywhere, light or dark as the
// reader's system is.
std::string as_html(const Insights& insights, std::int64_t now_ms);

}  // namespace skein::insights
