// skein replay: a transcript as it happened.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>

#include "app/home.h"
#include "app/signals.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"
#include "repl/replay/at_terminal.h"

namespace skein::verbs {

using store::value_or_throw;

namespace {

double speed_of(const app::Invocation& invocation) {
  if (!invocation.has("--speed")) return 1;
  const std::string text = invocation.value("--speed");
  double speed = 0;
  const auto [stopped, failed] = std::from_chars(text.data(), text.data() + text.size(), speed);
  if (failed != std::errc{} || stopped != text.data() + text.size() || !(speed > 0))
    throw Error("--speed takes how many times as fast it shall go, as in 4 or 0.5",
                ExitStatus::usage);
  return speed;
}

// For terminals that cannot be read key by key, and screen readers.
replay::Choice ask_by_line(const std::string& question, bool may_branch) {
  const std::string text = (question.empty() ? "" : question + ": ") + "Enter goes on, " +
                           (may_branch ? "b branches from the entry before it, " : "") +
                           "q quits › ";
  std::fputs(layout::sanitized(text).c_str(), stdout);
  std::fflush(stdout);
  std::string line;
  if (!std::getline(std::cin, line)) return replay::Choice::quit;
  const std::string answer = lower(trimmed(line));
  if (answer == "q") return replay::Choice::quit;
  return answer == "b" && may_branch ? replay::Choice::branch : replay::Choice::go_on;
}

replay::Ports plain_ports() {
  replay::Ports ports;
  ports.print = [](const std::string& text) {
    const std::string safe = layout::sanitized(text);
    std::fwrite(safe.data(), 1, safe.size(), stdout);
  };
  if (app::attended()) ports.ask = ask_by_line;
  return ports;
}

}  // namespace

int replay_session(const app::Invocation& invocation) {
  store::SessionStore store = app::open_store(invocation);
  const store::SessionRecord found = value_or_throw(store.find(invocation.arguments.at(0)));
  const Id session = found.header.session;
  const replay::Steps steps(store, value_or_throw(store.open(session)));
  replay::Wish wish{.step = invocation.has("--step"),
                    .speed = speed_of(invocation),
                    .until_error = invocation.has("--until-error")};
  if (invocation.has("--from")) {
    const Id from = value_or_throw(store.find_entry(session, invocation.value("--from")));
    wish.from = steps.number_of(from).value_or(0);
  }
  const std::string term = env("TERM");
  const bool keys = app::attended() && !invocation.screen_reader && !term.empty() && term != "dumb";
  replay::Played played;
  if (keys) {
    app::catch_signals();
    terminal::Terminal terminal(STDIN_FILENO, STDOUT_FILENO);
    terminal::Keyboard keyboard(terminal, [] { return app::leave_asked().load(); });
    screen::Screen screen(screen::screen_parts(
        STDOUT_FILENO, invocation.color.empty() ? "auto" : invocation.color, false));
    played = replay::play(steps, wish, replay::ports_at(keyboard, screen, app::stop_asked()));
  } else {
    played = replay::play(steps, wish, plain_ports());
  }
  if (played.branch) {
    value_or_throw(store.set_head(session, *played.branch));
    store.remember(session, "");
    print_line("the next message to " + found.key + " follows " + to_string(*played.branch) +
               "; what came after it is kept. `skein -s " + found.key + "` goes on there");
  }
  return 0;
}

}  // namespace skein::verbs
