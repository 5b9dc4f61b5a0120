// Asks services for their models: which there are, and what each can take. Only when a user opens
// the list, refreshes it, or begins to work with a server on this machine.
#pragma once

#include "core/model/event.h"
#include "providers/catalog/catalog.h"
#include "providers/keys.h"

namespace skein::providers {

// nullopt: it did not answer, or with nothing like a list. Stops soon when `ports` are stopped.
// Throws only if a key command fails or the network module is missing.
std::optional<std::vector<catalog::ServiceModel>> ask_models(const catalog::ProviderRow& row,
                                                             Keyring& keys,
                                                             const model::Ports& ports);

// Whether a key works: one small request that costs nothing.
struct KeyCheck {
  enum class Result { accepted, refused, unknown } result = Result::unknown;
  std::string text{};  // a sentence for the user
};
KeyCheck check_key(const catalog::ProviderRow& row, Keyring& keys, const model::Ports& ports);

}  // namespace skein::providers
