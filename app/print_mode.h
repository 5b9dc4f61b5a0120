// skein -p: one turn without a terminal, for scripts.
#pragma once

#include "app/application.h"

namespace skein::app {

int print_mode(Application& application, const Invocation& invocation);

}  // namespace skein::app
