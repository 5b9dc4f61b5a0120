#include "app/model_refresh.h"

#include <algorithm>

#include "core/text/base.h"
#include "core/text/log.h"
#include "core/text/when.h"
#include "providers/ask_models.h"
#include "providers/detect.h"
#include "providers/request.h"

namespace skein::app {

namespace {

// The same service under another name has the same models.
bool is_double(const catalog::ProviderRow& row, const catalog::Catalog& catalog) {
  const catalog::ProviderRow* home = catalog.find_provider(row.home);
  return home != nullptr && catalog::base_url(*home) == catalog::base_url(row);
}

bool is_due(const catalog::ProviderRow& row, const providers::Keyring& keys,
            discovery::ModelCache& cache, Refresh which) {
  if (row.local || which == Refresh::local) return false;  // only where something listens
  const bool has_key = keys.has_any(providers::variables_of(row)) || !row.key_needed;
  if (which == Refresh::all) return has_key || !row.key_command.empty();
  // A command may ask the user for a password, which opening a list should not.
  if (!has_key || !row.key_command.empty()) return false;
  const discovery::CachedListing* copy = cache.find(place_of(row));
  const std::int64_t now = now_ms();
  return copy == nullptr || copy->fetched > now || now - copy->fetched > day_ms;
}

}  // namespace

std::string place_of(const catalog::ProviderRow& row) {
  return std::string(row.name) + " " + catalog::base_url(row);
}

void use_cache(catalog::Catalog& catalog, discovery::ModelCache& cache) {
  catalog.ask_for_service_models([&cache](const catalog::ProviderRow& row) {
    const discovery::CachedListing* copy = cache.find(place_of(row));
    return copy != nullptr ? copy->models : std::vector<catalog::ServiceModel>{};
  });
}

bool refresh_models_of(const catalog::ProviderRow& row, catalog::Catalog& catalog,
                       providers::Keyring& keys, discovery::ModelCache& cache,
                       const model::Ports& ports) {
  auto models = providers::ask_models(row, keys, ports);
  if (!models || ports.stopped()) return false;
  cache.keep(place_of(row), {now_ms(), *models});
  catalog.learn(row.name, *std::move(models));
  return true;
}

Refreshed refresh_models(catalog::Catalog& catalog, providers::Keyring& keys,
                         discovery::ModelCache& cache, const model::Ports& ports, Refresh which,
                         std::string_view only) {
  const std::vector<providers::LocalServer> listening = providers::listening_servers(catalog);
  Refreshed out;
  const std::vector<catalog::ProviderRow> rows = catalog.providers();
  for (const catalog::ProviderRow& row : rows) {
    if (ports.stopped()) break;
    if (only.empty() ? is_double(row, catalog) : only != row.name) continue;
    const bool listens = std::ranges::find(listening, row.name,
                                           &providers::LocalServer::provider) != listening.end();
    if (!listens && !is_due(row, keys, cache, which)) continue;
    try {
      if (refresh_models_of(row, catalog, keys, cache, ports))
        out.changed = true;
      else
        out.silent.emplace_back(row.name);
    } catch (const Error& error) {
      log_warning("models not listed", {{"provider", std::string(row.name)}});
      out.silent.push_back(std::string(row.name) + " (" + error.what() + ")");
    }
  }
  return out;
}

}  // namespace skein::app
