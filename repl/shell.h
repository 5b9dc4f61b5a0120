// The REPL: reads lines, dispatches "/…" to the table of commands and everything else to the agent.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/agent.h"
#include "repl/line_editor.h"
#include "repl/screen.h"

namespace skein {

class Shell {
 public:
  struct Parts {
    Agent& agent;
    ModelRef model;
    Screen& screen;
    std::atomic<bool>& stop;
  };
  explicit Shell(Parts parts) : parts_(parts) {}

  void run(LineEditor& editor);
  void handle(const std::string& line);  // one line, as typed
  EditorHelp editor_help();

  Screen& screen() { return parts_.screen; }
  void leave() { leaving_ = true; }

 private:
  void dispatch(std::string_view command_line);
  void turn(const std::string& prompt);

  Parts parts_;
  bool leaving_ = false;
};

}  // namespace skein
