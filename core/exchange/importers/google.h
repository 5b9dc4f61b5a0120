// Arrays of Google's contents, as requests hold them, and as documents about them show them.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format google();

}  // namespace skein::exchange::importers
