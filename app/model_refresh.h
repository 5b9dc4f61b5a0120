// Asking services for their models and keeping what they say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/event.h"
#include "providers/catalog/catalog.h"
#include "providers/discovery/model_cache.h"
#include "providers/keys.h"

namespace skein::app {

// A provider and where it is: the same name may list other models elsewhere.
std::string place_of(const catalog::ProviderRow& row);

// Lets the catalog know what services said before; `cache` must outlive it. Reads nothing yet.
void use_cache(catalog::Catalog& catalog, discovery::ModelCache& cache);

enum class Refresh {
  stale,  // servers on this machine, and those whose key is at hand and whose copy is a day old
  local,  // servers on this machine
  all,    // everyone there is a key for, also if a command must be run for it
};
struct Refreshed {
  bool changed = false;
  std::vector<std::string> silent{};  // who did not answer
};
Refreshed refresh_models(catalog::Catalog& catalog, providers::Keyring& keys,
                         discovery::ModelCache& cache, const model::Ports& ports, Refresh which,
                         std::string_view only = {});

// Asks one; false: it did not answer.
bool refresh_models_of(const catalog::ProviderRow& row, catalog::Catalog& catalog,
                       providers::Keyring& keys, discovery::ModelCache& cache,
                       const model::Ports& ports);

}  // namespace skein::app
