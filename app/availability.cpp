#include "app/availability.h"

#include <cstdio>

#include "core/text/amounts.h"
#include "providers/request.h"

namespace skein::app {

Usable usable_now(const catalog::ProviderRow& row, const providers::Keyring& keys,
                  const std::vector<providers::LocalServer>& servers) {
  for (const providers::LocalServer& server : servers)
    if (server.provider == row.name)
      return {true, "running, " + counted(server.models.size(), "model")};
  if (row.local) return {false, "no server at " + catalog::base_url(row)};
  if (keys.has_any(providers::variables_of(row))) return {true, "key found"};
  if (!row.key_command.empty()) return {true, "key command"};
  if (!row.key_needed) return {true, "needs no key"};
  return {false, providers::how_to_give_key(row)};
}

std::vector<AvailableModel> available_models(const catalog::Catalog& catalog,
                                             const providers::Keyring& keys) {
  const std::vector<providers::LocalServer> servers =
      providers::find_local_servers(catalog, model::Ports{});
  const catalog::BuiltInRow& own = catalog.fallback();
  std::vector<AvailableModel> out{{std::string(own.name),
                                   std::string(own.model),
                                   {.provider = own.name, .name = own.model},
                                   {true, std::string(own.note)}}};
  for (const catalog::ProviderRow& provider : catalog.providers()) {
    const std::string name(provider.name);
    const Usable usable = usable_now(provider, keys, servers);
    const std::size_t before = out.size();
    for (const catalog::ModelRow& row : catalog.models())
      if (row.provider == provider.name) out.push_back({name, std::string(row.name), row, usable});
    for (const providers::LocalServer& server : servers)
      if (server.provider == provider.name)
        for (const std::string& model : server.models)
          out.push_back({name, model, catalog.find_model({name, model}), usable});
    // A service whose models are not known takes any name.
    if (out.size() == before && !provider.local) out.push_back({name, "NAME", {}, usable});
  }
  return out;
}

std::string thousands(std::int64_t tokens) {
  return tokens == 0                              ? "-"
         : tokens % 1000 == 0 || tokens >= 10'000 ? std::to_string(tokens / 1000) + "k"
                                                  : std::to_string(tokens);
}

std::string price_text(const catalog::Prices& prices) {
  if (!prices.input || !prices.output) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "$%g in, $%g out", *prices.input, *prices.output);
  return text;
}

}  // namespace skein::app
