#include <cstdio>

#include "app/config.h"
#include "app/home.h"
#include "app/subcommands.h"
#include "app/trust.h"
#include "app/wiring.h"
#include "core/base.h"
#include "core/text.h"
#include "repl/screen/harmless.h"

namespace skein {

// skein trust [--remove]
int trust(const Invocation& invocation) {
  const std::string workspace = workspace_folder(invocation);
  if (invocation.has("--remove")) {
    set_trust(workspace, "", Trust::unknown);
    std::puts(harmless("no longer trusted: " + workspace).c_str());
    return 0;
  }
  const std::optional<WorkspaceFile> file = workspace_file(workspace);
  if (!file) throw Error(workspace + " has no .skein/config.toml to trust", Trouble::usage);
  check_before_trust(invocation, *file);
  set_trust(workspace, file->text, Trust::given);
  std::puts(harmless("trusted, as it is now: " + file->path +
                     (file->wants.empty() ? "" : "\nit may set " + listed(file->wants)))
                .c_str());
  return 0;
}

}  // namespace skein
