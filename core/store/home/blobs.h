// Payloads too large for a line: files named by their own SHA-256, so that the same bytes are kept
// once and what was changed is noticed.
#pragma once

#include "core/store/backend.h"
#include "core/store/blob_names.h"
#include "core/store/home/home.h"

namespace skein::store::home {

inline constexpr std::uint64_t max_blob_bytes = 64u << 20;

// Durable when it returns; the name is what entries refer to it by.
Result<std::string> keep_blob(Home& home, std::string_view bytes);
// Many at once, synced together; their names in the same order. All are kept, or it fails.
Result<std::vector<std::string>> keep_blobs(Home& home, std::span<const std::string> all);
// The same for one who holds the lock of the index.
Result<std::string> write_blob(files::Files& files, std::string_view bytes);
// Whether it is there, of this size, and too young to be pruned soon. What is in it is not looked
// at.
bool holds_blob(files::Files& files, const std::string& name, std::uint64_t bytes);
// Only bytes that still are what the name says.
Result<std::string> load_blob(files::Files& files, const std::string& name);

// Removes (or with `only_look` names) the blobs that stand in no file of the home and have been
// there for a day. If any file cannot be read it does nothing: what it cannot see may refer to one.
// Of a session's checkpoints the last `keep_checkpoints` count, and of those before the first of
// each day: what only others refer to goes, and a restore to them says so.
struct PrunedBlobs {
  std::vector<std::string> names{};
  std::uint64_t bytes = 0;
};
inline constexpr std::size_t kept_checkpoints = 200;
Result<PrunedBlobs> prune_blobs(Home& home, bool only_look,
                                std::size_t keep_checkpoints = kept_checkpoints);
// The same where the sessions are elsewhere, and `home` holds only what their checkpoints refer to.
// Not while sessions are in the trash there: what they refer to cannot be seen.
Result<PrunedBlobs> prune_contents(Home& home, StorageBackend& sessions, bool only_look,
                                   std::size_t keep_checkpoints = kept_checkpoints);

}  // namespace skein::store::home
