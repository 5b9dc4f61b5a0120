// The REPL: reads lines, dispatches "/…" to the table of commands and everything else to the agent.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/agent/agent.h"
#include "core/agent/conversation.h"
#include "core/model/attachments.h"
#include "repl/commands/services.h"
#include "repl/prompt/drafts.h"
#include "repl/prompt/line_editor.h"
#include "repl/prompt/type_ahead.h"
#include "repl/screen/screen.h"
#include "repl/terminal/marks.h"

namespace skein::repl {

class Shell {
 public:
  struct Parts {
    store::SessionStore& store;
    agent::Agent& agent;
    screen::Screen& screen;
    std::atomic<bool>& stop;         // ^C
    const std::atomic<bool>& leave;  // SIGTERM, SIGHUP: once set, it stays so
    std::string workspace;
    std::function<agent::Agent::Settings(const agent::Conversation&)> settings_for;
    // Somebody sees questions and can answer them. In a pipe the next line is a prompt, no answer.
    bool attended = false;
    bool piped = false;  // nobody typed the lines: what they mention does not come along
    commands::ShellServices desk{};
    terminal::Keyboard* keyboard = nullptr;  // none: questions are answered by lines
    prompt::Drafts drafts{};
    terminal::TerminalMarks marks{};
    // Puts something between the loop and the screen, such as what hides keys.
    using Sink = std::function<void(const model::Event&)>;
    std::function<Sink(Sink)> masking = [](Sink sink) { return sink; };
    bool kept = true;  // false: the store is in memory, and goes when we leave
    std::function<std::string()> greeting{};  // said once, if nothing has been said in the session
  };
  explicit Shell(Parts parts) : parts_(std::move(parts)) {}

  void use(prompt::LineEditor& editor) {
    editor_ = &editor;
  }  // before anything may have to be asked
  // Leaves the session that is open, if any, and goes on in this one. If that one cannot be opened,
  // nothing has changed.
  void open(Id session);
  void run();
  void close();  // writes down where we were
  void handle(const std::string& line) { handle(line, line); }
  // `typed`: the same with chips in the place of what was pasted.
  void handle(const std::string& line, const std::string& typed);
  // The same for what was not typed at a prompt just now; it is shown as if it had been.
  void send(const edit::Draft& draft);
  prompt::EditorHelp editor_help();

  // For the commands.
  screen::Screen& screen() { return parts_.screen; }
  store::SessionStore& store() { return parts_.store; }
  agent::Conversation& conversation() { return *conversation_; }
  agent::Agent::Settings& settings() { return settings_; }
  void refresh_settings();  // after the session was told something; model and mode stay
  const commands::ShellServices& desk() const { return parts_.desk; }
  const std::string& workspace() const { return parts_.workspace; }
  void leave() { leaving_ = true; }
  // From a command: with the files that were named where it was typed.
  void turn(const std::string& prompt) { turn(prompt, typed_); }
  void turn(const std::string& prompt, const std::string& typed);  // with the files it names there
  void go_on();
  void compact(const std::string& focus);
  context::BuiltContext context() { return parts_.agent.context(*conversation_, settings_); }
  // A message of the user's that asks for no answer; the model reads it with the next one.
  void tell(const std::string& text);
  terminal::Keyboard* keyboard() { return parts_.keyboard; }
  bool confirm(const std::string& question);
  void show_path(std::size_t entries);  // the end of it, as it was shown when it happened; 0: all
  // Takes the next permission mode; what to tell the user about it.
  std::string cycle_mode();

 private:
  void dispatch(std::string_view command_line);
  void work(const std::function<agent::TurnEnd(const model::Ports&)>& turn);
  bool may_come_along(const std::string& name);
  model::PromptWithFiles with_its_files(const std::string& prompt, const std::string& typed);
  void tell_title();
  void take_over_typing();
  void keep_draft(const edit::Draft& draft);
  bool read_line(std::string& line);
  model::Ports ports();
  model::Answer ask(const model::Question& question);

  Parts parts_;
  std::optional<agent::Conversation> conversation_{};
  agent::Agent::Settings settings_{};
  prompt::LineEditor* editor_ = nullptr;
  bool leaving_ = false;
  std::optional<prompt::TypeAhead> typing_{};  // while a turn runs at a terminal
  std::vector<edit::Draft> queued_{};  // typed meanwhile and sent: handled next, in this order
  edit::Draft sent_{};                 // the line that is being handled
  std::string typed_{};                // the same without what was pasted
  edit::Draft draft_{};                // typed meanwhile and not sent: in the next line
};

}  // namespace skein::repl
