// A session file of pi, version 3.
#pragma once

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

void write_pi(const ExportedSession& session, const Sink& sink);

}  // namespace skein::exchange::exporters
