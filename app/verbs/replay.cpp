// skein replay and follow: a transcript as it happened, and as another process writes it.
#include <unistd.h>

#include <iostream>

#include "app/application.h"
#include "app/invocation/signals.h"
#include "app/setup/home.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/model/entry.h"
#include "core/store/entry_text.h"
#include "core/text/text.h"
#include "core/text/wait.h"
#include "repl/follow/follow.h"
#include "repl/layout/sanitize.h"
#include "repl/replay/player.h"

namespace skein::verbs {

using store::value_or_throw;

namespace {

double speed_of(const Invocation& invocation) {
  if (!invocation.has("--speed")) return 1;
  const std::optional<double> speed = parse_number<double>(invocation.value("--speed"));
  if (!speed || !(*speed > 0)) throw UsageError("--speed takes a factor, like 4 or 0.5");
  return *speed;
}

bool can_read_keys(const Invocation& invocation) {
  const std::string term = env("TERM");
  return app::attended() && !invocation.has("--json") && !invocation.screen_reader &&
         !term.empty() && term != "dumb";
}

// For terminals that cannot be read key by key, and screen readers.
replay::ReplayAnswer ask_by_line(const std::string& question, bool may_branch) {
  const std::string text = (question.empty() ? "" : question + ": ") + "Enter continues, " +
                           (may_branch ? "b branches before this step, " : "") + "q quits › ";
  const std::string answer = asked(text);
  if (answer == "q" || !std::cin) return replay::ReplayAnswer::quit;
  return answer == "b" && may_branch ? replay::ReplayAnswer::branch : replay::ReplayAnswer::go_on;
}

replay::ReplayPorts plain_ports() {
  replay::ReplayPorts ports;
  ports.print = [](const std::string& text) { print_text(layout::sanitized(text)); };
  if (app::attended()) ports.ask = ask_by_line;
  return ports;
}

constexpr std::size_t shown_before = 4;

// For pipes, screen readers and terminals that cannot be read key by key.
follow::FollowPorts follow_ports(bool as_json) {
  follow::FollowPorts ports;
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
    return stopped() ? follow::FollowAction::leave : follow::FollowAction::none;
  };
  return ports;
}

follow::FollowEnd follow_at_terminal(const Invocation& invocation, store::SessionStore& store,
                                     Id session) {
  terminal::Terminal terminal(STDIN_FILENO, STDOUT_FILENO);
  terminal::Keyboard keyboard(terminal, [] { return app::leave_asked().load(); });
  screen::Screen screen(screen_parts(invocation));
  return follow::follow(store, session, shown_before,
                        follow::ports_at(keyboard, screen, app::stop_asked()));
}

}  // namespace

void replay_session(const Invocation& invocation) {
  auto [store, record, session] = open_session(invocation);
  const replay::ReplaySteps steps(store, record);
  replay::ReplayRequest wish{.step = invocation.has("--step"),
                             .speed = speed_of(invocation),
                             .until_error = invocation.has("--until-error")};
  if (invocation.has("--from")) {
    const Id from = value_or_throw(store.find_entry(session, invocation.value("--from")));
    wish.from = steps.number_of(from).value_or(0);
  }
  replay::Played played;
  if (can_read_keys(invocation)) {
    app::catch_signals();
    terminal::Terminal terminal(STDIN_FILENO, STDOUT_FILENO);
    terminal::Keyboard keyboard(terminal, [] { return app::leave_asked().load(); });
    screen::Screen screen(screen_parts(invocation));
    played = replay::play(steps, wish, replay::ports_at(keyboard, screen, app::stop_asked()));
  } else {
    played = replay::play(steps, wish, plain_ports());
  }
  if (played.branch) {
    value_or_throw(store.mark(session, model::payload::Head{*played.branch}));
    store.presence().remember(session, "");
    print_line("the next message to " + record.key + " follows " + to_string(*played.branch) +
               "; later messages are kept as a branch. `skein -s " + record.key +
               "` continues there");
  }
}

int follow_session(const Invocation& invocation) {
  app::catch_signals();
  Id session{};
  follow::FollowEnd end{};
  {
    store::SessionStore store = app::open_store(invocation);
    session = value_or_throw(store.find(invocation.arguments.at(0))).header.session;
    end = can_read_keys(invocation) ? follow_at_terminal(invocation, store, session)
                                    : follow::follow(store, session, shown_before,
                                                     follow_ports(invocation.has("--json")));
  }
  if (end == follow::FollowEnd::left) return 0;
  Invocation next = invocation;
  next.subcommand = nullptr;
  next.arguments.clear();
  next.flags.clear();
  next.session = to_string(session);
  return app::run(next);
}

}  // namespace skein::verbs
