// A session as spans of OpenTelemetry, in the JSON form of OTLP: one for the session, one for each
// model call and one for each tool call. Ids come from those of the session and its entries, so
// that they are the same every time. No text of the conversation is in it.
#pragma once

#include "core/export/exported_session.h"

namespace skein::exporters {

// As JSON, one after the other; that of the session comes last.
void each_span(const ExportedSession& session, const std::function<void(const JsonText&)>& visit);

// The body of a request to /v1/traces with these spans, which are separated by commas.
JsonText trace_request(std::string_view spans);

}  // namespace skein::exporters
