#include "repl/replay/player.h"

#include "core/model/scrub.h"

namespace skein::replay {

using store::value_or_throw;

namespace {

using terminal::is_letter, terminal::leaves;

constexpr std::int64_t longest_pause_ms = 2000;

// 2026-11-10 10:00:01
std::string moment(const std::string& timestamp) {
  std::string out = timestamp.substr(0, 19);
  std::ranges::replace(out, 'T', ' ');
  return out;
}

using Code = terminal::Key::Code;
using Result = terminal::Keyboard::KeyResult;

}  // namespace

ReplaySteps::ReplaySteps(store::SessionStore& store, const store::SessionRecord& record)
    : store_(store), session_(record.header.session), redacted_(record.state.redacted) {
  value_or_throw(store.transcripts().survey(session_, [this](const model::EntryFacts& entry) {
    // The pieces of an answer are the answer's beginning once more.
    if (entry.type == model::type::session_header || entry.type == model::type::message_delta_batch)
      return;
    if (!model::is_for_readers(entry.type, entry.body)) {
      if (!model::is_marginal(entry.type)) left_out_[entry.id] = entry.parent;
      return;
    }
    places_.push_back({entry.id, shown_before(entry.parent), entry.at, ms_from_utc(entry.timestamp),
                       model::is_marginal(entry.type)});
  }));
}

std::optional<Id> ReplaySteps::shown_before(std::optional<Id> entry) const {
  while (entry) {
    const auto found = left_out_.find(*entry);
    if (found == left_out_.end()) break;
    entry = found->second;
  }
  return entry;
}

ReplayStep ReplaySteps::at(std::size_t number) const {
  const Place& place = places_.at(number);
  const store::StoredEntry stored =
      value_or_throw(store_.transcripts().load_at(session_, place.at));
  ReplayStep step{.entry = model::masked(stored.entry, redacted_), .altered = stored.altered};
  step.failed = model::is_failed_result(step.entry);
  if (place.marginal || !place.parent) return step;
  // Side questions do not come between two entries of the conversation.
  std::size_t before = number;
  while (before > 0 && places_[before - 1].marginal) --before;
  if (before == 0 || places_[before - 1].id == *place.parent) return step;
  step.follows = number_of(*place.parent);
  return step;
}

std::optional<std::size_t> ReplaySteps::number_of(Id entry) const {
  const auto found = std::ranges::find(places_, shown_before(entry), &Place::id);
  if (found == places_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - places_.begin());
}

std::int64_t ReplaySteps::gap_ms(std::size_t number) const {
  if (number == 0 || number >= places_.size()) return 0;
  const auto &now = places_[number].time_ms, &before = places_[number - 1].time_ms;
  return now && before ? std::max<std::int64_t>(0, *now - *before) : 0;
}

std::chrono::milliseconds pause_before(std::int64_t gap_ms, double speed) {
  const double scaled = static_cast<double>(gap_ms) / speed;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(std::min(scaled, static_cast<double>(longest_pause_ms))));
}

std::string text_of(const ReplaySteps& steps, std::size_t number, const ReplayStep& step) {
  std::string out = "Step " + with_separators(number + 1) + " of " + with_separators(steps.size()) +
                    " · " + model::kind_of(step.entry) + " · " + moment(step.entry.timestamp) +
                    " · " + to_string(step.entry.id).substr(0, 6);
  if (step.altered) out += " · " + std::string(store::altered_mark);
  if (step.follows) out += " · follows step " + with_separators(*step.follows + 1);
  out += "\n";
  if (const std::string words = model::words_of(step.entry, model::Thoughts::shown); !words.empty())
    out += words + "\n";
  return out + "\n";
}

Played play(const ReplaySteps& steps, const ReplayRequest& request, const ReplayPorts& ports) {
  Played out;
  for (std::size_t number = request.from; number < steps.size(); ++number) {
    const bool waits = ports.ask && !request.step && !request.until_error && out.shown > 0;
    if (waits && !ports.wait(pause_before(steps.gap_ms(number), request.speed))) {
      out.quit = true;
      return out;
    }
    const ReplayStep step = steps.at(number);
    ports.print(text_of(steps, number, step));
    ++out.shown;
    if (step.failed && request.until_error) out.failed_at = step.entry.id;
    if (ports.ask && (step.failed || (request.step && number + 1 < steps.size()))) {
      const std::string question = step.failed ? "this call failed" : "";
      const ReplayAnswer choice = ports.ask(question, step.failed && step.entry.parent.has_value());
      if (choice == ReplayAnswer::branch) out.branch = step.entry.parent;
      out.quit = choice == ReplayAnswer::quit;
      if (choice != ReplayAnswer::go_on) return out;
      out.failed_at.reset();  // the user wants to see more
    }
    if (out.failed_at) return out;
  }
  return out;
}

ReplayPorts ports_at(terminal::Keyboard& keyboard, screen::Screen& screen,
                     const std::atomic<bool>& stop) {
  ReplayPorts ports;
  ports.print = [&screen](const std::string& text) {
    screen.print_untrusted(text);
    screen.flush();
  };
  ports.wait = [&keyboard, &stop](std::chrono::milliseconds pause) {
    const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
    const auto stopped = [&stop] { return stop.load(); };
    terminal::Key key;
    const Result result = keyboard.next(key, pause, stopped);
    if (result == Result::key) return !leaves(key);
    if (result == Result::signal) keyboard.terminal().take_resize();
    return result != Result::hang_up && !stopped();
  };
  ports.ask = [&keyboard, &screen, &stop](const std::string& question, bool may_branch) {
    screen.print_untrusted((question.empty() ? "" : question + ": ") + "[Enter] continue  " +
                           (may_branch ? "[b]ranch before this step  " : "") + "[q]uit › ");
    screen.flush();
    const terminal::TerminalMode keys(keyboard.terminal(), terminal::Terminal::Mode::editing);
    const auto answer = [&screen](ReplayAnswer choice, const char* word) {
      screen.print(std::string(word) + "\n\n");
      return choice;
    };
    for (;;) {
      const terminal::Key key = keyboard.next_key(&stop);
      if (stop || leaves(key)) return answer(ReplayAnswer::quit, "quit");
      if (may_branch && is_letter(key, 'b')) return answer(ReplayAnswer::branch, "branch");
      if (key == terminal::key(Code::enter) || terminal::typed(key) == " " || is_letter(key, 'c') ||
          is_letter(key, 'n'))
        return answer(ReplayAnswer::go_on, "continue");
    }
  };
  return ports;
}

}  // namespace skein::replay
