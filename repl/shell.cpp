#include "repl/shell.h"

#include "repl/commands.h"

namespace skein {

void Shell::run(LineEditor& editor) {
  bool warned = false;
  while (!leaving_) {
    std::string line;
    switch (editor.read("› ", line)) {
      case LineEditor::Got::end: return;
      case LineEditor::Got::interrupt:
        if (warned) return;
        warned = true;
        parts_.screen.print("Press Ctrl+C again or Ctrl+D to leave.\n");
        continue;
      case LineEditor::Got::line: warned = false; handle(line);
    }
  }
}

void Shell::handle(const std::string& line) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string::npos) return;
  try {
    if (line[start] == '/')
      dispatch(std::string_view(line).substr(start + 1));
    else
      turn(line);
  } catch (const Error& error) {
    parts_.screen.print_untrusted(std::string("error: ") + error.what() + "\n");
  }
}

void Shell::dispatch(std::string_view command_line) {
  const std::size_t end = std::min(command_line.find(' '), command_line.size());
  const std::string_view name = command_line.substr(0, end);
  std::string_view argument = command_line.substr(end);
  while (argument.starts_with(' ')) argument.remove_prefix(1);

  if (const Command* command = find_command(name)) return command->run(*this, argument);
  parts_.screen.print_untrusted("no command /" + std::string(name) + "; did you mean /" +
                                std::string(nearest_command(name).name) + "?\n");
}

void Shell::turn(const std::string& prompt) {
  parts_.stop = false;
  const Ports ports{.sink = [this](const Event& event) { parts_.screen.show(event); },
                    .stop = &parts_.stop};
  const TurnEnd end = parts_.agent.run_turn(prompt, parts_.model, ports);
  if (end.stop == Stop::aborted) parts_.screen.print("■ stopped. The partial answer is kept.\n");
  if (end.stop == Stop::error) parts_.screen.print_untrusted("error: " + end.error + "\n");
}

EditorHelp Shell::editor_help() {
  EditorHelp help;
  help.complete = [this](std::string_view line) {
    std::vector<std::string> out;
    if (!line.starts_with('/')) return out;
    const std::size_t space = line.find(' ');
    for (const Command& command : commands()) {
      if (space == std::string_view::npos) {
        if (command.name.starts_with(line.substr(1)))
          out.push_back("/" + std::string(command.name));
      } else if (command.name == line.substr(1, space - 1) && command.complete) {
        out = command.complete(*this, line.substr(space + 1));
      }
    }
    return out;
  };
  help.hint = [](std::string_view line) -> std::string {
    if (!line.starts_with('/')) return {};
    const Command* command = find_command(line.substr(1));
    return command && !command->arguments.empty() ? " " + std::string(command->arguments) : "";
  };
  return help;
}

}  // namespace skein
