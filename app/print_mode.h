// skein -p: one turn without a terminal, for scripts.
#pragma once

#include "app/wiring.h"

namespace skein {

int print_mode(Workbench& bench, const Invocation& invocation);

}  // namespace skein
