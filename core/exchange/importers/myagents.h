// MyAgents: sessions/<id>.jsonl with one message a line, or <id>.json with all of them, and
// sessions.json beside the folder, which has their titles.
#pragma once

#include "core/exchange/importers/format.h"

namespace skein::exchange::importers {

Format myagents();

}  // namespace skein::exchange::importers
