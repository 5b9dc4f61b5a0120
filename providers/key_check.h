// Whether a key works: one small request that costs nothing.
#pragma once

#include <string>

#include "core/event.h"
#include "providers/catalog.h"
#include "providers/keys.h"

namespace skein {

// A sentence for the user: it works, it is refused, there is none, or nobody answers.
std::string check_key(const ProviderRow& row, Keyring& keys, const Ports& ports);

}  // namespace skein
