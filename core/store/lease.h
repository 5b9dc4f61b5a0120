// Says that somebody works in a session, for as long as it lives; the end of a process ends it too.
// It keeps nobody out: it tells work that is under way from what a crash left behind.
#pragma once

#include <memory>
#include <string>

namespace skein::store {

// Shared by whoever copies it. What it is made of is the backend's business.
using SessionLease = std::shared_ptr<const void>;

// Who else may hold the same.
enum class LockMode { shared, exclusive };

// What others are told of whoever holds one here: the machine, and the terminal or the process.
std::string who_we_are();

}  // namespace skein::store
