// A list for the system prompt of what a model may ask for by name: skills, agents.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skein::project {

struct Offered {
  std::string_view name, description;
};
// Behind `opening`, sorted by name, in at most about `most_bytes`: beyond that descriptions are
// cut, then left out. Empty if there is nothing.
std::string catalogue(std::string_view opening, std::vector<Offered> offered,
                      std::size_t most_bytes);

}  // namespace skein::project
