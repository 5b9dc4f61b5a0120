// Entries as they are kept, for formats that take them whole.
#pragma once

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

// Of a path only what is on it: marginal entries speak of others, which may not be there.
inline void each_raw_entry(const ExportedSession& session, const VisitEntry& visit) {
  session.each_entry([&](const model::Entry& entry) {
    if (session.whole_tree || !model::is_marginal(entry.type)) visit(entry);
  });
}

}  // namespace skein::exchange::exporters
