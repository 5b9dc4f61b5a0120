// What the terminal is told besides text: the session's title in its title bar, and where prompts,
// answers and their ends are (OSC 133, for jumping between them).
#pragma once

#include <functional>
#include <string_view>

namespace skein::terminal {

class TerminalMarks {
 public:
  using Write = std::function<void(std::string_view bytes)>;
  explicit TerminalMarks(Write write = {}) : write_(std::move(write)) {}  // none: writes nothing

  void title(std::string_view untrusted);
  void prompt();  // a line is about to be read
  void sent();    // it was read: what follows is the answer
  void done(bool well);
  void leave();                                  // restores the original title
  bool pass_on(std::string_view request) const;  // something else to ask of it; false: it is none

 private:
  void tell(std::string_view bytes) const;

  Write write_;
  bool titled_ = false, sent_ = false;
};

}  // namespace skein::terminal
