#include "core/store/repeats.h"

#include "core/model/scrub.h"

namespace skein::store {

Result<std::vector<Id>> entries_repeating(SessionStore& store, Id session, const Entry& target) {
  const Result<SessionRecord> opened = store.open(session);
  if (!opened) return opened.error();
  std::vector<Id> out;
  if (!opened->state.head) return out;
  const model::Scrubbing what = model::scrubbing_of(target, {});
  const auto visited =
      store.visit_path(session, *opened->state.head, [&](const StoredEntry& placed) {
        const Entry& entry = placed.entry;
        if (entry.id != target.id && entry.type == type::message &&
            !opened->state.redacted.contains(entry.id) && model::gives_away(entry.payload, what))
          out.push_back(entry.id);
        return true;
      });
  if (!visited) return visited.error();
  return out;
}

}  // namespace skein::store
