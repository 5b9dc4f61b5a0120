// skein without -p: the prompt, on whatever terminal or pipe there is.
#pragma once

#include "app/cli.h"

namespace skein {

class Workbench;

bool attended();  // somebody sees what we ask and can answer it
int repl_mode(Workbench& bench, const Invocation& invocation);  // returns the exit status

}  // namespace skein
