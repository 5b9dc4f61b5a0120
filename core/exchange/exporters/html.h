// One self-contained page: the data as JSON, one small script that shows it, and without that
// script a plain body. What came from the transcript is text everywhere in it.
#pragma once

#include <string>

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

void write_html(const ExportedSession& session, const Sink& sink);

// The same for a page that asks where it came from for what is said later, at `events`.
void write_live_html(const ExportedSession& session, const Sink& sink);

// What a browser may do with the page: run our script, and nothing else.
std::string page_policy(bool live);

}  // namespace skein::exchange::exporters
