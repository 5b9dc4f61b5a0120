// One object with the session, its entries and its leaves, for programs.
#pragma once

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

void write_json(const ExportedSession& session, const Sink& sink);

}  // namespace skein::exchange::exporters
