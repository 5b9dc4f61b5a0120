// Puts the parts together: the one place that names every concrete class.
#pragma once

#include "app/cli.h"

namespace skein {

int run(const Invocation& invocation);  // returns the exit status

}  // namespace skein
