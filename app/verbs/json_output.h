// The one way JSON goes to standard output.
#pragma once

#include <cstdio>

#include "core/text/printable_json.h"

namespace skein::verbs {

// A line of its own. It may hold what models, files and strangers said.
inline void print_json(const JsonText& json) {
  const JsonText line = printable_json(json) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
}

}  // namespace skein::verbs
