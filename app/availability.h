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

// Every model of the catalog, and what services were last heard to have besides, the built-in one
// first. Nobody is asked anything; which servers of this machine listen is looked at.
std::vector<AvailableModel> available_models(const catalog::Catalog& catalog,
                                             const providers::Keyring& keys);

// Why a provider can be used now, or what it lacks.
Usable usable_now(const catalog::ProviderRow& row, const providers::Keyring& keys,
                  const std::vector<providers::LocalServer>& servers);

std::string thousands(std::int64_t tokens);              // 200000 → 200k
std::string price_text(const catalog::Prices& prices);   // $3 in, $15 out
std::string short_price(const catalog::Prices& prices);  // $3/$15; empty: not known
// "$4 in, $15 out above 272k"; empty: a call of any length costs the same.
std::string tier_text(const catalog::ModelRow& row);
std::string levels_text(model::ThinkingLevels levels);  // "off, low, medium, high"

// What a user who asks for this model should know: that it has ended, and what its thinking is.
std::vector<std::string> remarks_on(const catalog::Catalog& catalog, const model::ModelRef& model);

}  // namespace skein::app
