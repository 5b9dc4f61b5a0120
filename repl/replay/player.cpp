#include "repl/replay/player.h"

#include <algorithm>

#include "core/model/entry_words.h"
#include "core/store/backend.h"
#include "core/text/base.h"

namespace skein::replay {

namespace {

constexpr std::int64_t longest_pause_ms = 2000;

// 2026-11-10 10:00:01
std::string moment(const std::string& timestamp) {
  std::string out = timestamp.substr(0, 19);
  std::ranges::replace(out, 'T', ' ');
  return out;
}

}  // namespace

std::chrono::milliseconds pause_before(std::int64_t gap_ms, double speed) {
  const double scaled = static_cast<double>(gap_ms) / speed;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(std::min(scaled, static_cast<double>(longest_pause_ms))));
}

std::string text_of(const Steps& steps, std::size_t number, const Step& step) {
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

Played play(const Steps& steps, const Wish& wish, const Ports& ports) {
  Played out;
  for (std::size_t number = wish.from; number < steps.size(); ++number) {
    const bool waits = ports.ask && !wish.step && !wish.until_error && out.shown > 0;
    if (waits && !ports.wait(pause_before(steps.gap_ms(number), wish.speed))) {
      out.quit = true;
      return out;
    }
    const Step step = steps.at(number);
    ports.print(text_of(steps, number, step));
    ++out.shown;
    if (step.failed && wish.until_error) out.failed_at = step.entry.id;
    if (ports.ask && (step.failed || (wish.step && number + 1 < steps.size()))) {
      const std::string question = step.failed ? "this call failed" : "";
      const Choice choice = ports.ask(question, step.failed && step.entry.parent.has_value());
      if (choice == Choice::branch) out.branch = step.entry.parent;
      out.quit = choice == Choice::quit;
      if (choice != Choice::go_on) return out;
      out.failed_at.reset();  // the user wants to see more
    }
    if (out.failed_at) return out;
  }
  return out;
}

}  // namespace skein::replay
