// /replay: this session as it happened.
#include <charconv>

#include "core/text/amounts.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/handlers.h"
#include "repl/replay/at_terminal.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

std::optional<double> speed_in(std::string_view word) {
  if (word.ends_with('x')) word.remove_suffix(1);
  double speed = 0;
  const auto [stopped, failed] = std::from_chars(word.data(), word.data() + word.size(), speed);
  const bool fits = failed == std::errc{} && stopped == word.data() + word.size() && speed > 0;
  // Entries have ids of 16 digits, and six of them are enough to name one.
  return fits && word.size() < 6 ? std::optional(speed) : std::nullopt;
}

}  // namespace

// [entry] [step|until-error|4x]
void replay_session(Session& session, std::string_view entry_and_pace) {
  const replay::Steps steps(session.store(), session.conversation().record());
  replay::Wish wish;
  for (std::string_view rest = trimmed(entry_and_pace); !rest.empty();) {
    const auto [word, more] = first_word(rest);
    rest = trimmed(more);
    if (word == "step")
      wish.step = true;
    else if (word == "until-error")
      wish.until_error = true;
    else if (const auto speed = speed_in(word))
      wish.speed = *speed;
    else
      wish.from = steps.number_of(entry_named(session, word)).value_or(0);
  }
  if (steps.size() == 0) return session.screen().print("nothing has been said yet\n");
  replay::Ports ports;
  ports.print = [&](const std::string& text) { session.screen().print_untrusted(text); };
  // Keys typed ahead are meant for the prompt.
  if (session.keyboard() != nullptr && !session.keyboard()->typed_ahead())
    ports = replay::ports_at(*session.keyboard(), session.screen(), session.begin_stoppable());
  const replay::Played played = replay::play(steps, wish, ports);
  if (played.branch) {
    session.conversation().move_head(*played.branch);
    session.screen().print("the next message follows " + short_id(*played.branch) +
                           "; the old branch is kept (/tree)\n");
  }
}

}  // namespace skein::commands
