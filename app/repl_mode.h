// skein without -p: the prompt, on whatever terminal or pipe there is.
#pragma once

#include "app/cli.h"

namespace skein::app {

class Application;

bool attended();  // somebody sees what we ask and can answer it
int repl_mode(Application& application, const Invocation& invocation);  // returns the exit status

}  // namespace skein::app
