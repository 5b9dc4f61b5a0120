// What export and share have in common: which session, which part of it, and what it cost.
#pragma once

#include "app/cli.h"
#include "core/exchange/export_request.h"
#include "core/exchange/session_source.h"

namespace skein::verbs {

// What the flags ask for.
exchange::ExportRequest export_request(const app::Invocation& invocation);

// The session of that name as it is now, with what it cost.
exchange::exporters::ExportedSession session_to_export(const app::Invocation& invocation,
                                                       store::SessionStore& store,
                                                       const exchange::ExportRequest& request,
                                                       exchange::SecretMask* mask);

}  // namespace skein::verbs
