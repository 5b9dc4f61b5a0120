// A plain transcript, for mail and for diff.
#pragma once

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

void write_text(const ExportedSession& session, const Sink& sink);

}  // namespace skein::exchange::exporters
