#include "core/exchange/exporters/jsonl.h"

#include "core/exchange/exporters/raw_entries.h"
#include "core/store/entry_text.h"

namespace skein::exchange::exporters {

void write_jsonl(const ExportedSession& session, const Sink& sink) {
  each_raw_entry(session, [&](const model::Entry& entry) { sink(store::to_json(entry) + "\n"); });
}

}  // namespace skein::exchange::exporters
