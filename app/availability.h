// Which models can be used now, and what the others lack.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "providers/catalog.h"
#include "providers/detect.h"
#include "providers/keys.h"

namespace skein {

struct Usable {
  bool now = false;
  std::string why{};
};

struct AvailableModel {
  std::string provider, name;
  ModelRow row;
  Usable usable;
};

// Every model of the catalog and of the servers that run on this machine, the built-in one first.
std::vector<AvailableModel> available_models(const Catalog& catalog, const Keyring& keys);

// Why a provider can be used now, or what it lacks.
Usable usable_now(const ProviderRow& row, const Keyring& keys,
                  const std::vector<LocalServer>& servers);

std::string thousands(std::int64_t tokens);    // 200000 → 200k
std::string price_text(const Prices& prices);  // $3 in, $15 out

}  // namespace skein
