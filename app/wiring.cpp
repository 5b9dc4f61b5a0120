#include "app/wiring.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "core/agent.h"
#include "core/log.h"
#include "providers/offline.h"
#include "repl/shell.h"

namespace skein {

namespace {

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// No SA_RESTART: a signal must end a wait.
void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_asked = true; };
  sigaction(SIGINT, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool can_edit_lines() {
  const char* term = std::getenv("TERM");
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && std::string_view(term) != "dumb";
}

}  // namespace

int run(const Invocation& invocation) {
  start_log(invocation.debug);
  if (invocation.subcommand != nullptr) return invocation.subcommand->run(invocation);
  catch_interrupts();

  OfflineProvider provider;
  const Tools tools;
  Agent agent(provider, tools);
  Screen screen(STDOUT_FILENO);
  Shell shell({agent, ModelRef{"offline", "demo"}, screen, stop_asked});

  if (!invocation.prompt.empty()) shell.handle(invocation.prompt);
  const auto editor = can_edit_lines() ? make_replxx_editor(shell.editor_help())
                                       : make_plain_editor(STDIN_FILENO, isatty(STDIN_FILENO));
  shell.run(*editor);
  return 0;
}

}  // namespace skein
