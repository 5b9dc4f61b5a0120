// Sessions of the claw0 tutorial and of its forerunner mini-claw: flat lines in which a turn's
// results may come before its prompt, and calls may stand twice.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format claw0();

}  // namespace skein::exchange::importers
