// What model calls cost, one by one, for those who ask about very many: each model is looked up
// once.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "providers/catalog/catalog.h"

namespace skein::app {

using CallCost =
    std::function<std::optional<catalog::Cost>(const std::string& model, const model::Usage&)>;
// The catalog must outlive it. What the catalog learns later is not seen.
CallCost call_cost(const catalog::Catalog& catalog);

}  // namespace skein::app
