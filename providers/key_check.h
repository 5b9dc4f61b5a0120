// Whether a key works: one small request that costs nothing.
#pragma once

#include <string>

#include "core/model/event.h"
#include "providers/catalog/catalog.h"
#include "providers/keys.h"

namespace skein::providers {

// A sentence for the user: it works, it is refused, there is none, or there is no answer.
std::string check_key(const catalog::ProviderRow& row, Keyring& keys, const model::Ports& ports);

}  // namespace skein::providers
