// A session of the store as exporters take it: one path or all branches, what is redacted masked,
// and secrets too if that is wanted.
#pragma once

#include "core/export/exported_session.h"
#include "core/export/secrets.h"
#include "core/model/payloads.h"
#include "core/store/session_store.h"

namespace skein::exporters {

struct Selection {
  std::optional<Id> branch{};  // the path to this entry; none: to the head
  bool all_branches = false;
};

// Reads the session in its current form. `store` and `mask` (none: secrets stay) must outlive what
// is returned. With a mask all is gone over once before, so that a secret is masked everywhere;
// what was found is in the mask then. `usage` is left to the caller, who knows prices.
ExportedSession exported_session(store::SessionStore& store, const store::SessionRecord& record,
                                 const Selection& selection, SecretMask* mask);

// "intact", or what is not.
std::string seal_verdict(const store::Damage& damage);

// What an imported session says of where it came from; none: it is our own.
std::optional<model::payload::Import> origin_of(store::Transcripts& transcripts, Id session);

}  // namespace skein::exporters
