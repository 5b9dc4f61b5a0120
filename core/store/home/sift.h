// Looking through a transcript for what a search wants, without opening the session: large pieces,
// no index of ids, no checksums unless something is odd.
#pragma once

#include <set>

#include "core/store/backend.h"
#include "core/store/files/files.h"

namespace skein::store::home {

// What StorageBackend::sift promises, for a transcript or an archive.
Result<std::set<Id>> sift_transcript(files::Files& files, const SessionRecord& session,
                                     const Sieve& sieve, const VisitFacts& visit);

}  // namespace skein::store::home
