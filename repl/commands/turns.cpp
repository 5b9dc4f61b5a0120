// /btw: a question outside the conversation; /web: a page of the web for the model; /queue and
// /steer while no turn runs (during a turn the line that is typed ahead knows them); /replay: this
// session as it happened; /follow: what another process says in a session.

#include "core/text/base.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/follow/follow.h"
#include "repl/replay/player.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

// The facts about a page and how it begins: enough to see whether it is the right one.
void show_beginning(Session& session, std::string_view text) {
  constexpr std::size_t mark_lines = 2, most_lines = 14, most_bytes = 160;
  const std::vector<std::string_view> lines = split(text, '\n');
  for (std::size_t i = mark_lines; i < std::min(lines.size(), mark_lines + most_lines); ++i) {
    const std::string_view shown = utf8_prefix(lines[i], most_bytes);
    session.screen().print_untrusted("  " + std::string(shown) +
                                     (shown.size() < lines[i].size() ? "…" : "") + "\n");
  }
}

std::optional<double> speed_in(std::string_view word) {
  if (word.ends_with('x')) word.remove_suffix(1);
  const auto speed = parse_number<double>(word);
  // Entries have ids of 16 digits, and six of them are enough to name one.
  return speed > 0 && word.size() < 6 ? speed : std::nullopt;
}

constexpr std::size_t shown_before = 4;  // messages

}  // namespace

void ask_aside(Session& session, std::string_view question) {
  if (question.empty())
    throw Error(
        "usage: /btw QUESTION; the model answers without tools, and neither is kept in the "
        "conversation");
  session.ask_aside(std::string(question));
}

void show_queue(Session& session, std::string_view) {
  session.screen().print("the queue is empty; lines are queued while a turn runs\n");
}

void steer(Session& session, std::string_view text) {
  if (text.empty()) throw Error("usage: /steer TEXT");
  session.turn(std::string(text));
}

void fetch_page(Session& session, std::string_view argument) {
  const auto [first, rest] = first_word(trimmed(argument));
  if (first.empty()) throw Error("usage: /web URL [QUESTION]");
  const std::string url =
      (first.find("://") == std::string_view::npos ? "https://" : "") + std::string(first);
  const std::string question(trimmed(rest));
  const std::string mention = "@\"" + url + "\"";
  session.services().program->note_typed(session.id(), url);
  const std::optional<model::Fetched> fetched = session.fetched(url);
  if (!fetched) throw Error("/web fetches only http:// and https:// addresses, not " + url);
  show_beginning(session, fetched->text);
  if (!question.empty()) return session.turn(question, mention);
  session.note("A page for what comes next.", mention);
  session.screen().print("the model reads it with your next message\n");
}

void replay_session(Session& session, std::string_view entry_and_pace) {
  const replay::ReplaySteps steps(session.store(), session.conversation().record());
  replay::ReplayRequest request;
  for (std::string_view rest = trimmed(entry_and_pace); !rest.empty();) {
    const auto [word, more] = first_word(rest);
    rest = trimmed(more);
    if (word == "step")
      request.step = true;
    else if (word == "until-error")
      request.until_error = true;
    else if (const auto speed = speed_in(word))
      request.speed = *speed;
    else
      request.from = steps.number_of(entry_named(session, word)).value_or(0);
  }
  if (steps.size() == 0) return session.screen().print("nothing has been said yet\n");
  replay::ReplayPorts ports;
  ports.print = [&](const std::string& text) { session.screen().print_untrusted(text); };
  if (terminal::Keyboard* const keys = session.idle_keyboard())
    ports = replay::ports_at(*keys, session.screen(), session.begin_stoppable());
  const replay::Played played = replay::play(steps, request, ports);
  if (played.branch) session.continue_from(*played.branch);
}

void follow_session(Session& session, std::string_view name) {
  if (session.keyboard() == nullptr)
    throw Error("/follow needs a terminal; `skein follow KEY` follows without one");
  const Id followed = name.empty()
                          ? session.id()
                          : store::value_or_throw(named_session(session, name)).header.session;
  const follow::FollowEnd end = follow::follow(
      session.store(), followed, followed == session.id() ? 0 : shown_before,
      follow::ports_at(*session.keyboard(), session.screen(), session.begin_stoppable()));
  // Ours has gone on as well, if that is what was followed.
  if (end == follow::FollowEnd::taken_over || followed == session.id()) session.open(followed);
}

// What is said there in between would be lost on the agent.
bool followed_instead(Session& session, Id id) {
  const subagents::AgentPool* const agents = session.services().agents;
  if (agents == nullptr || !agents->works_in(id)) return false;
  if (session.keyboard() == nullptr)
    throw Error("an agent is still working there; /agents shows its progress");
  session.screen().print("An agent is still working there, so skein only follows it; q returns.\n");
  follow::FollowPorts ports =
      follow::ports_at(*session.keyboard(), session.screen(), session.begin_stoppable());
  ports.can_take_over = false;
  follow::follow(session.store(), id, shown_before, ports);
  return true;
}

}  // namespace skein::commands
