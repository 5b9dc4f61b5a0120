#include "app/trust.h"
#include "app/application.h"
#include "app/config.h"
#include "app/home.h"
#include "app/mcp_servers.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::verbs {

// skein trust [--remove]
int trust(const app::Invocation& invocation) {
  const std::string workspace = app::workspace_folder(invocation);
  if (invocation.has("--remove")) {
    app::set_trust(workspace, "", app::Trust::unknown);
    app::trust_servers(workspace, false);
    print_line("no longer trusted: " + workspace);
    return 0;
  }
  const std::optional<app::WorkspaceFile> file = app::workspace_file(workspace);
  const bool servers = app::trust_servers(workspace, true);
  if (servers)
    print_line("trusted, as it is now: " + workspace + "/.mcp.json\nits servers start with skein");
  if (!file && servers) return 0;
  if (!file)
    throw Error(workspace + " has neither a .skein/config.toml nor a .mcp.json to trust",
                ExitStatus::usage);
  app::check_before_trust(invocation, *file);
  app::set_trust(workspace, file->text, app::Trust::given);
  print_line("trusted, as it is now: " + file->path +
             (file->wants.empty() ? "" : "\nit may set " + listed(file->wants)));
  return 0;
}

}  // namespace skein::verbs
