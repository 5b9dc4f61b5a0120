#include "app/call_cost.h"

#include <map>

namespace skein::app {

CallCost call_cost(const catalog::Catalog& catalog) {
  return [&catalog, rows = std::map<std::string, catalog::ModelRow>()](
             const std::string& model,
             const model::Usage& usage) mutable -> std::optional<catalog::Cost> {
    auto row = rows.find(model);
    if (row == rows.end()) {
      const std::size_t slash = model.find('/');
      if (slash == std::string::npos) return std::nullopt;
      row =
          rows.emplace(model, catalog.find_model({model.substr(0, slash), model.substr(slash + 1)}))
              .first;
    }
    return catalog::cost_of(usage, row->second);
  };
}

}  // namespace skein::app
