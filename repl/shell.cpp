#include "repl/shell.h"

#include <algorithm>

#include "core/context.h"
#include "repl/commands.h"

namespace skein {

void Shell::open(Id session) {
  Conversation next(parts_.store, session);
  Agent::Settings settings = parts_.settings_for(next);
  // How much may be done unasked is what the user decided at this prompt, whatever is talked about.
  if (conversation_) settings.rules.mode = settings_.rules.mode;
  close();
  conversation_.emplace(std::move(next));
  settings_ = std::move(settings);
  for (const std::string& text : conversation_->notices())
    parts_.screen.print_untrusted(text + "\n");

  const SessionState& state = conversation_->state();
  if (state.messages > 0) {
    parts_.screen.print("Restored: " + std::to_string(state.messages) + " previous turns\n");
    show_path(4);
  }
  parts_.screen.print_untrusted(conversation_->record().key + " · " + to_string(settings_.model) +
                                "\n");
  if (const std::size_t open_calls = parts_.agent.recover(*conversation_, ports()); open_calls > 0)
    parts_.screen.print(std::to_string(open_calls) +
                        " tool calls had been interrupted; /continue lets the model go on.\n");
}

void Shell::close() {
  if (conversation_) parts_.store.remember(conversation_->session(), parts_.workspace);
  conversation_.reset();
}

void Shell::show_path(std::size_t entries) {
  const std::vector<Entry>& path = conversation_->path();
  std::vector<const Entry*> shown;
  for (auto entry = path.rbegin(); entry != path.rend() && (entries == 0 || shown.size() < entries);
       ++entry)
    if (entry->type == type::message || entry->type == type::compaction_summary)
      shown.push_back(&*entry);
  for (auto entry = shown.rbegin(); entry != shown.rend(); ++entry)
    parts_.screen.replay(masked(**entry, conversation_->state().redacted));
}

void Shell::run() {
  bool warned = false;
  while (!leaving_ && !parts_.leave) {
    std::string line;
    parts_.stop = false;
    switch (editor_->read("› ", line)) {
      case LineEditor::Got::end: leaving_ = true; break;
      case LineEditor::Got::interrupt:
        if (warned || parts_.leave) {
          leaving_ = true;
          break;
        }
        warned = true;
        parts_.screen.print("Press Ctrl+C again or Ctrl+D to leave.\n");
        break;
      case LineEditor::Got::line:
        warned = false;
        handle(line);
        break;
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
  while (argument.ends_with(' ')) argument.remove_suffix(1);

  if (const Command* command = find_command(name)) return command->run(*this, argument);
  parts_.screen.print_untrusted("no command /" + std::string(name) + "; did you mean /" +
                                std::string(nearest_command(name).name) + "?\n");
}

Ports Shell::ports() {
  return {.sink = [this](const Event& event) { parts_.screen.show(event); },
          .ask = parts_.attended && editor_ != nullptr
                     ? [this](const Question& question) { return ask(question); }
                     : std::function<Answer(const Question&)>{},
          .stop = &parts_.stop};
}

// Enter alone is no.
Answer Shell::ask(const Question& question) {
  parts_.screen.start_line();
  if (!question.detail.empty()) parts_.screen.print_untrusted(question.detail + "\n");
  parts_.screen.print_untrusted(question.text + "\n");
  const std::string offer = question.remember.empty()
                                ? "[y]es  [n]o, and why › "
                                : "[y]es  [a]lways " + question.remember + "  [n]o, and why › ";
  std::string line;
  if (editor_->read(harmless(offer), line) != LineEditor::Got::line) return {};
  const std::string first = line.substr(0, line.find(' '));
  if (first == "y" || first == "yes") return {Answer::Choice::yes};
  if ((first == "a" || first == "always") && !question.remember.empty())
    return {Answer::Choice::always};
  const bool plain_no = first == "n" || first == "no";
  return {Answer::Choice::no,
          plain_no ? line.substr(std::min(line.size(), first.size() + 1)) : line};
}

bool Shell::confirm(const std::string& question) {
  if (editor_ == nullptr) return false;
  std::string line;
  return editor_->read(harmless(question) + " [y/N] › ", line) == LineEditor::Got::line &&
         (line == "y" || line == "yes");
}

// In this order no signal is missed: one that came before has set `leave`, a later one sets `stop`.
void Shell::begin() {
  parts_.stop = false;
  if (parts_.leave) parts_.stop = true;
}

void Shell::turn(const std::string& prompt) {
  begin();
  finish(parts_.agent.run_turn(*conversation_, prompt, settings_, ports()));
}

void Shell::go_on() {
  begin();
  finish(parts_.agent.go_on(*conversation_, settings_, ports()));
}

void Shell::finish(const TurnEnd& end) { parts_.screen.end_turn(end.stop, end.error); }

std::string Shell::cycle_mode() {
  settings_.rules.mode = next(settings_.rules.mode);
  return "permission mode " + std::string(name(settings_.rules.mode)) + ": " +
         describe(settings_.rules.mode);
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
