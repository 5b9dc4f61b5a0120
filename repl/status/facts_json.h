// What a status command is told: the facts under the names that Claude Code gives them, so that
// scripts written for it work, and what only skein knows under its own. Pure.
#pragma once

#include <cstdint>

#include "core/text/base.h"
#include "repl/status/facts.h"

namespace skein::status {

// `open_ms`: for how long this program has run.
JsonText facts_json(const Facts& facts, std::int64_t open_ms);

}  // namespace skein::status
