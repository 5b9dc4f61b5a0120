// Arrays of OpenAI's messages, as requests hold them, and as documents about them show them.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format openai();

}  // namespace skein::exchange::importers
