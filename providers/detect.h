// Finds model servers that run on this machine. Only when asked, and only on loopback addresses.
#pragma once

#include <string>
#include <vector>

#include "core/event.h"
#include "providers/catalog.h"

namespace skein {

struct LocalServer {
  std::string provider;
  std::string base_url;
  std::vector<std::string> models{};
  bool operator==(const LocalServer&) const = default;
};

// Looks at the address of every local row. All connections are tried at the same time and given
// 150 ms; where none is accepted, libcurl is not even loaded.
std::vector<LocalServer> find_local_servers(const Catalog& catalog, const Ports& ports);

}  // namespace skein
