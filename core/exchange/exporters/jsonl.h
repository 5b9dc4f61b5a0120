// One entry a line, each with its parent: `skein append` takes them back.
#pragma once

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

void write_jsonl(const ExportedSession& session, const Sink& sink);

}  // namespace skein::exchange::exporters
