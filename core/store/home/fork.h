// A path taken from one transcript into a new one, line by line, as it stands: only the seals are
// made anew. Nothing is parsed, so that a long session is branched as fast as it is copied.
#pragma once

#include <functional>
#include <span>

#include "core/store/log/new_transcript.h"

namespace skein::store::home {

// The path to `leaf`, root first; `copied` is told every entry's id, of one that is
// not on it as well where that was seen too late. What `target` could not write
// it remembers itself.
Result<void> copy_path(log::LogReader& source, Id leaf, log::NewTranscript& target,
                       const std::function<void(Id)>& copied);
// The same, and behind it those of `extras` that are about nothing else than what was copied.
Result<void> copy_fork(log::LogReader& source, Id leaf, std::span<const ForkExtra> extras,
                       log::NewTranscript& target);

}  // namespace skein::store::home
