// The rules for handing a conversation to a model, as the catalog has them.
#pragma once

#include <string>
#include <utility>

#include "providers/catalog/catalog.h"

namespace skein::test {

inline handover::Target known_target(std::string provider, std::string model) {
  return catalog::Catalog().target({std::move(provider), std::move(model)});
}

}  // namespace skein::test
