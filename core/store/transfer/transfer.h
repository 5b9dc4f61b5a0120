// Sessions from one home to another, of whatever kind: the same lines, byte for byte, as often as
// one likes. What both have gone on with is never mixed: it becomes branches.
#pragma once

#include "core/store/backend.h"

namespace skein::store::transfer {

struct Moved {
  enum class How {
    whole,      // it was not there
    extended,   // it was there up to some entry
    branched,   // it had gone on there as well: what came is a branch, and the head stays
    unchanged,  // there was nothing to do
  };
  How how = How::unchanged;
  std::size_t entries = 0;  // that came
  bool replaced = false;    // it was damaged there, and what was there is set aside
};

using Step =
    std::function<void(std::uint64_t bytes)>;  // so much of the session has been dealt with

// `conflict`: another session there has its key.
Result<Moved> move_session(
    StorageBackend& from, StorageBackend& to, Id session, const Step& step = [](std::uint64_t) {});

// What became of a session that two homes have, or one of them.
struct Synced {
  Moved there{}, here{};
};
// Brings each what the other has. What only says where one of them continues stays with it. A
// damaged copy is replaced by the other one if that has, or can be given, every entry that can be
// read of it. `damaged`: that is not so, and both are as they were.
Result<Synced> sync_session(
    StorageBackend& here, StorageBackend& there, Id session,
    const Step& step = [](std::uint64_t) {});

}  // namespace skein::store::transfer
