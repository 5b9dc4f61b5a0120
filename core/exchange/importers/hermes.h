// Older sessions of Hermes: one object with a chat in it.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format hermes();

}  // namespace skein::exchange::importers
