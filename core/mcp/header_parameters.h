// Arguments of a tool that also travel as HTTP headers ("x-mcp-header" in its schema), so that what
// stands between can route a call without reading it. Pure. For .cpp files only.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text/json.h"

namespace skein::mcp {

struct HeaderParameter {
  std::vector<std::string> path;  // the names of properties that lead to it
  std::string header;             // without the prefix Mcp-Param-
};

// nullopt: an annotation makes no sense (empty or no token, twice, on a number, or where an
// argument may be one of several things); such a tool cannot be called.
std::optional<std::vector<HeaderParameter>> header_parameters(const Json& schema);

// Names, in lower case, and values, not yet encoded. What was not given has no header.
std::vector<std::pair<std::string, std::string>> parameter_headers(const Json& schema,
                                                                   const Json& arguments);

}  // namespace skein::mcp
