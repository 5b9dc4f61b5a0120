// The session that is open at the prompt and what can be done in it: all that a command may touch.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/agent/agent.h"
#include "core/agent/conversation.h"
#include "core/checkpoints/stop.h"
#include "core/model/attachments.h"
#include "repl/screen/screen.h"
#include "repl/session/services.h"
#include "repl/session/typed_input.h"
#include "repl/terminal/marks.h"
#include "repl/terminal/notifier.h"

namespace skein::session {

class Session {
 public:
  struct Parts {
    store::SessionStore& store;
    agent::Agent& agent;
    screen::Screen& screen;
    TypedInput& input;
    std::atomic<bool>& stop;         // ^C
    const std::atomic<bool>& leave;  // SIGTERM, SIGHUP: never cleared once set
    std::string workspace;
    std::function<agent::Agent::Settings(const agent::Conversation&)> settings_for;
    Services services{};
    terminal::TerminalMarks marks{};
    terminal::Notifier notifier{};
    // Filters events on their way to the screen, for example to mask keys.
    using Sink = std::function<void(const model::Event&)>;
    std::function<Sink(Sink)> masking = [](Sink sink) { return sink; };
    agent::Inbox* inbox = nullptr;  // the way to the model while it works; may be null
    bool unasked = false;           // nobody has named the session that is opened first
    bool kept = true;               // false: the store is in memory and is gone at the end
    std::function<std::string()> greeting{};  // shown once, if the first session is empty
  };
  explicit Session(Parts parts) : parts_(std::move(parts)) {}

  // Closes the open session, if any, and switches to this one. If it cannot be opened,
  // nothing has changed.
  void open(Id session);
  // The same to look at an entry: it is shown with what stands around it, and the head stays where
  // it is. What is said next follows that entry, as a branch.
  void open_at(Id session, Id entry);
  void follow_shown();  // moves the head to the entry that is looked at, if one is
  // Records where we were; `reason` is what hooks are told.
  void close(std::string_view reason = "quit");

  store::SessionStore& store() { return parts_.store; }
  agent::Conversation& conversation() { return *conversation_; }
  Id id() const { return conversation_->session(); }
  agent::Agent::Settings& settings() { return settings_; }
  // provider/model as it was before the user chose another; empty: not since skein began.
  std::string& model_before() { return model_before_; }
  void refresh_settings();  // after the session's entries changed them; model and mode stay
  void catch_up();          // with what was still being read when the prompt came
  // Selects the next permission mode and returns what to tell the user about it.
  std::string cycle_mode();
  std::string prompt() const;  // what stands in front of the line
  context::BuiltContext context() { return parts_.agent.context(*conversation_, settings_); }
  const Services& services() const { return parts_.services; }
  const std::string& workspace() const { return parts_.workspace; }

  // Hooks hear of another model before and after. Throws Error if one does not want it.
  void before_model(const model::ModelRef& to, const std::vector<std::string>& losses);
  void after_model(const model::ModelRef& from, const std::vector<std::string>& losses);

  screen::Screen& screen() { return parts_.screen; }
  terminal::Keyboard* keyboard() { return parts_.input.keyboard(); }
  // For work that Ctrl+C ends: what it sets from now on.
  const std::atomic<bool>& begin_stoppable();
  // For work that Esc ends too: whether to stop, to be asked often.
  std::function<bool()> stop_check();
  // See Services. Esc and Ctrl+C end what is done with them next.
  checkpoints::WorkspaceFiles* kept_files();
  bool confirm(const std::string& question) { return parts_.input.confirm(question); }
  // See TypedInput::choose.
  bool chooses_by_number() const { return parts_.input.chooses_by_number(); }
  std::optional<std::size_t> choose(const std::string& title,
                                    const std::vector<std::string>& lines) {
    return parts_.input.choose(title, lines);
  }
  // A prompt that was taken back, for the line to begin with.
  void put_back(const std::string& prompt) { parts_.input.put_back(prompt); }
  // An earlier prompt, to be changed in the line; nothing: the user left it. The new one counts as
  // typed.
  std::optional<std::string> revised(const std::string& prompt) {
    return parts_.input.revise(prompt);
  }
  terminal::TerminalMarks& marks() { return parts_.marks; }
  void show_title();                    // in the terminal's title bar
  void show_path(std::size_t entries);  // the last entries, as first shown; 0: all of them

  // Sends the prompt with the files that the typed line mentions; or with those that `mentions`
  // does.
  void turn(const std::string& prompt);
  void turn(const std::string& prompt, std::string_view mentions);
  // The same without asking for an answer.
  void note(const std::string& words, std::string_view mentions);
  // What a name leads to that is no file; see Services::fetch. Ctrl+C ends it.
  std::optional<model::Fetched> fetched(const std::string& name);
  // Sends what a command of the project or the user's own becomes. False: there is none of that
  // name.
  bool turn_of(std::string_view name, std::string_view arguments);
  void go_on();  // lets the model continue without a new prompt
  void compact(const std::string& focus);
  void ask_aside(const std::string& question);  // see agent::Agent
  // Adds a message that asks for no answer; the model reads it with the next one.
  void tell(const std::string& text);
  void tell(const model::Entry& note);

  void leave() { leaving_ = true; }
  // What becomes of the work beside the conversation; see Leaving. The user may decide to stay.
  void settle_work();
  bool leaving() const { return leaving_ || parts_.leave; }
  std::string farewell() const;  // how to come back; empty if there is nothing to come back to

 private:
  using Work = std::function<agent::TurnEnd(const model::Ports&)>;
  agent::TurnEnd work(const Work& turn);
  agent::TurnEnd work_once(const Work& turn);
  void begin_anew(const std::string& prompt, const JsonText& meta);
  prompt::Steering steering();
  bool is_file(std::string_view name) const;
  bool may_attach(const std::string& name, bool ask);
  model::ModelRef wanted_model(const project::RenderedCommand& command);
  // While a turn runs nothing is asked: what needs an answer is not attached.
  enum class When { idle, during_turn };
  model::PromptWithFiles with_its_files(const std::string& prompt, std::string_view mentions,
                                        When when = When::idle);
  model::Ports ports();
  std::string title() const;                               // what it is called, one way or another
  bool tell_of_others(const std::string& open_elsewhere);  // true: somebody is at work

  Parts parts_;
  std::optional<agent::Conversation> conversation_{};
  std::optional<checkpoints::Stop::By> files_stop_{};
  store::SessionLease open_{};  // tells others that we have it open
  agent::Agent::Settings settings_{};
  std::string model_before_{};
  struct LookedAt {
    Id entry;
    std::optional<Id>
        head;  // when it was shown: whoever moves the head since has decided otherwise
  };
  std::optional<LookedAt> looked_at_{};
  std::optional<Id> shown_first_{};  // by open(), instead of the end of the path
  bool leaving_ = false;
};

}  // namespace skein::session
