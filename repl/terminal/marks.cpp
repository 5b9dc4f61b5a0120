#include "repl/terminal/marks.h"

#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::terminal {

constexpr std::size_t widest_title = 60;

void TerminalMarks::tell(std::string_view bytes) const {
  if (write_) write_(bytes);
}

void TerminalMarks::title(std::string_view untrusted) {
  if (!titled_) tell("\x1b[22;2t");  // the terminal saves its current title
  titled_ = true;
  tell("\x1b]2;" + layout::fit(layout::sanitized_row(untrusted), widest_title) + "\a");
}

void TerminalMarks::leave() {
  if (titled_) tell("\x1b[23;2t");
  titled_ = false;
}

bool TerminalMarks::pass_on(std::string_view request) const {
  tell(request);
  return write_ != nullptr;
}

void TerminalMarks::prompt() { tell("\x1b]133;A\a"); }

void TerminalMarks::sent() {
  tell("\x1b]133;C\a");
  sent_ = true;
}

void TerminalMarks::done(bool well) {
  if (sent_) tell(well ? "\x1b]133;D;0\a" : "\x1b]133;D;1\a");
  sent_ = false;
}

}  // namespace skein::terminal
