// Which models can be used now, and what the others lack.
#pragma once

#include <string>
#include <vector>

#include "providers/catalog/catalog.h"
#include "providers/detect.h"
#include "providers/keys.h"

namespace skein::app {

struct Usable {
  bool now = false;
  std::string why{};
};

struct AvailableModel {
  std::string provider, name;
  catalog::ModelRow row;
  Usable usable;
};

// Every model of the catalog and of the servers that run on this machine, the built-in one first.
std::vector<AvailableModel> available_models(const catalog::Catalog& catalog,
                                             const providers::Keyring& keys);

// Why a provider can be used now, or what it lacks.
Usable usable_now(const catalog::ProviderRow& row, const providers::Keyring& keys,
                  const std::vector<providers::LocalServer>& servers);

std::string thousands(std::int64_t tokens);             // 200000 → 200k
std::string price_text(const catalog::Prices& prices);  // $3 in, $15 out

}  // namespace skein::app
