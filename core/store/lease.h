// A lease marks that a process works in a session, for as long as it lives; the end of the process
// ends it too. It locks no process out: it tells work that is under way from what a crash left.
#pragma once

#include "core/text/std.h"

namespace skein::store {

// Shared by all copies. What it is made of is the backend's business.
using SessionLease = std::shared_ptr<const void>;

// Who else may hold the same.
enum class LockMode { shared, exclusive };

}  // namespace skein::store
