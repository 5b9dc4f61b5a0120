// The path as a Messages request has it.
#pragma once

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

void write_anthropic(const ExportedSession& session, const Sink& sink);

}  // namespace skein::exchange::exporters
