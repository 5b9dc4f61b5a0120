// Factory's Droid: ~/.factory/sessions/**/<id>.jsonl, and what `droid exec` streams as JSON.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format droid();

}  // namespace skein::exchange::importers
