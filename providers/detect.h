// Finds model servers that run on this machine. Only when asked, and only on loopback addresses.
#pragma once

#include "core/model/event.h"
#include "providers/catalog/catalog.h"

namespace skein::providers {

struct LocalServer {
  std::string provider;
  std::string base_url;
  std::vector<std::string> models{};
  bool operator==(const LocalServer&) const = default;
};

// Who accepts a connection at the address of a row, if that is on this machine. All are tried at
// the same time and given 150 ms; nothing is asked, so `models` is empty.
std::vector<LocalServer> listening_servers(const catalog::Catalog& catalog);
// Those among them that name their models. Where none listens, libcurl is not even loaded.
std::vector<LocalServer> find_local_servers(const catalog::Catalog& catalog,
                                            const model::Ports& ports);

}  // namespace skein::providers
