// sessions.json and `last`, written.
#pragma once

#include <vector>

#include "core/store/home/index.h"

namespace skein::store::home {

JsonText print_index(const Index& index);
JsonText print_last(const std::vector<LastUsed>& used);

}  // namespace skein::store::home
