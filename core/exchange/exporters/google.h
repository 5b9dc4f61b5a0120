// The path as a generateContent request has it.
#pragma once

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

void write_google(const ExportedSession& session, const Sink& sink);

}  // namespace skein::exchange::exporters
