// Markdown for people, with front matter and the ids of the entries as comments, so that its text
// can be taken back.
#pragma once

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

void write_markdown(const ExportedSession& session, const Sink& sink);

}  // namespace skein::exchange::exporters
