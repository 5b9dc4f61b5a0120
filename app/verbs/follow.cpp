// skein follow: what another process says in a session, as it is saved.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "app/application.h"
#include "app/home.h"
#include "app/signals.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/model/entry_words.h"
#include "core/store/entry_text.h"
#include "core/text/text.h"
#include "core/text/wait.h"
#include "repl/follow/at_terminal.h"

namespace skein::verbs {

using store::value_or_throw;

namespace {

constexpr std::size_t shown_before = 4;

// For pipes, screen readers and terminals that cannot be read key by key.
follow::Ports follow_ports(bool as_json) {
  follow::Ports ports;
  ports.show = [as_json](const store::StoredEntry& placed) {
    if (as_json) {
      print_json(store::to_json(placed.entry));
    } else if (const std::string words = model::words_of(placed.entry);
               placed.entry.type == model::type::message && !words.empty()) {
      print_line(model::kind_of(placed.entry) + ":" +
                 (placed.altered ? " " + std::string(store::altered_mark) : ""));
      print_line(words);
    }
    std::fflush(stdout);
  };
  ports.say = [](const std::string& text) { tell_user(std::string(trimmed(text))); };
  ports.wait = [](int descriptor, std::chrono::milliseconds pause) {
    const auto stopped = [] { return app::stop_asked() || std::ferror(stdout) != 0; };
    wait(descriptor, std::chrono::steady_clock::now() + pause, stopped);
    return stopped() ? follow::Wish::leave : follow::Wish::none;
  };
  return ports;
}

bool can_read_keys(const app::Invocation& invocation) {
  const std::string term = env("TERM");
  return app::attended() && !invocation.has("--json") && !invocation.screen_reader &&
         !term.empty() && term != "dumb";
}

follow::End follow_at_terminal(const app::Invocation& invocation, store::SessionStore& store,
                               Id session) {
  terminal::Terminal terminal(STDIN_FILENO, STDOUT_FILENO);
  terminal::Keyboard keyboard(terminal, [] { return app::leave_asked().load(); });
  screen::Screen screen(screen::screen_parts(
      STDOUT_FILENO, invocation.color.empty() ? "auto" : invocation.color, false));
  return follow::follow(store, session, shown_before,
                        follow::ports_at(keyboard, screen, app::stop_asked()));
}

}  // namespace

int follow_session(const app::Invocation& invocation) {
  app::catch_signals();
  Id session{};
  follow::End end{};
  {
    store::SessionStore store = app::open_store(invocation);
    session = value_or_throw(store.find(invocation.arguments.at(0))).header.session;
    end = can_read_keys(invocation) ? follow_at_terminal(invocation, store, session)
                                    : follow::follow(store, session, shown_before,
                                                     follow_ports(invocation.has("--json")));
  }
  if (end == follow::End::left) return 0;
  app::Invocation next = invocation;
  next.subcommand = nullptr;
  next.arguments.clear();
  next.flags.clear();
  next.session = to_string(session);
  return app::run(next);
}

}  // namespace skein::verbs
