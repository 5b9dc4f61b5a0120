// The session that is open at the prompt and what can be done in it: all that a command may touch.
#pragma once

#include "core/agent/agent.h"
#include "core/agent/conversation.h"
#include "core/checkpoints/file_look.h"
#include "core/insights/cache_report.h"
#include "core/model/attachments.h"
#include "core/permission/policy.h"
#include "repl/layout/style.h"
#include "repl/screen/screen.h"
#include "repl/session/services.h"
#include "repl/session/typed_input.h"
#include "repl/terminal/requests.h"

namespace skein::session {

// The text in front of the line being typed: a mark, and the permission mode if it is unusual.
std::string prompt_text(permission::Mode mode, const layout::TerminalStyle& look);

// What the usage of several models cost. At least: also if a price is not known.
Cost cost_of(const Services& services, const std::map<std::string, model::Usage>& usage);

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
    agent::Inbox* inbox = nullptr;  // the way to the model while it works; may be null
    bool unasked = false;           // the user has not named the session that is opened first
    bool kept = true;               // false: the store is in memory and is gone at the end
    std::function<std::string()> greeting{};  // safe; shown once, if the first session is empty
  };
  explicit Session(Parts parts) : parts_(std::move(parts)) {}

  // Closes the open session, if any, and switches. If it cannot be opened, nothing has changed.
  // Shows the end of its path, or what is around an entry.
  void open(Id session, std::optional<Id> shown = {});
  // The same to look at an entry: it is shown with what is around it, and the head stays where
  // it is. What is said next follows that entry, as a branch.
  void open_at(Id session, Id entry);
  void follow_shown();           // moves the head to the entry that is looked at, if one is
  void continue_from(Id entry);  // moves the head there and says so
  // Records where we were; `reason` is passed to hooks.
  void close(std::string_view reason = "quit");

  store::SessionStore& store() { return parts_.store; }
  agent::Conversation& conversation() { return *conversation_; }
  Id id() const { return conversation_->session(); }
  agent::Agent::Settings& settings() { return settings_; }
  // provider/model as it was before the user chose another; empty: not since skein began.
  std::string& model_before() { return model_before_; }
  void refresh_settings();  // after the session's entries changed them; model and mode stay
  void catch_up() {         // with what was still being read when the prompt came
    if (parts_.services.program->catch_up()) refresh_settings();
  }
  // Selects the next permission mode and returns what to tell the user about it.
  std::string cycle_mode();
  // The text in front of the line.
  std::string prompt() const { return prompt_text(settings_.rules.mode, parts_.screen.look()); }
  context::BuiltContext context() { return parts_.agent.context(*conversation_, settings_); }
  const Services& services() const { return parts_.services; }
  Cost cost() const;  // of the session and its sub-agents
  const std::string& workspace() const { return parts_.workspace; }

  // Hooks hear of another model before and after. Throws Error if one does not want it.
  void before_model(const model::ModelRef& to, const std::vector<std::string>& losses);
  void after_model(const model::ModelRef& from, const std::vector<std::string>& losses);

  screen::Screen& screen() { return parts_.screen; }
  terminal::Keyboard* keyboard() { return parts_.input.keyboard(); }
  // For lists that read keys; null also if keys have been typed ahead: they are for the prompt.
  terminal::Keyboard* idle_keyboard() {
    return keyboard() != nullptr && keyboard()->typed_ahead() ? nullptr : keyboard();
  }
  // For work that Ctrl+C ends: what it sets from now on.
  const std::atomic<bool>& begin_stoppable();
  // For work that Esc ends too: whether to stop, to be asked often.
  std::function<bool()> stop_check();
  // See Services. Esc and Ctrl+C end what is done with them next.
  checkpoints::WorkspaceFiles* kept_files();
  bool confirm(const std::string& question, pick::Enter enter = pick::Enter::no) {
    return parts_.input.confirm(question, enter);
  }
  // See TypedInput::choose.
  bool chooses_by_number() const { return parts_.input.chooses_by_number(); }
  std::optional<std::size_t> choose(const std::string& title,
                                    const std::vector<std::string>& lines) {
    return parts_.input.choose(title, lines);
  }
  // A prompt that was taken back, for the line to begin with.
  void put_back(const std::string& prompt) { parts_.input.put_back(prompt); }
  // An earlier prompt as the user changed it, which counts as typed; nothing: the user left it.
  std::optional<std::string> revised(const std::string& prompt) {
    return parts_.input.revise(prompt);
  }
  terminal::TerminalMarks& marks() { return parts_.marks; }
  void show_title() { parts_.marks.title("skein: " + title()); }  // in the terminal's title bar
  void show_path(std::size_t entries);  // the last entries, as first shown; 0: all of them

  // Sends the prompt with the files that the typed line, or `mentions`, names.
  void turn(const std::string& prompt);
  void turn(const std::string& prompt, std::string_view mentions);
  // The same without asking for an answer.
  void note(const std::string& words, std::string_view mentions);
  // What a name leads to that is no file; see Services::fetch. Ctrl+C ends it.
  std::optional<model::Fetched> fetched(const std::string& name);
  // Sends what a command of the project or the user becomes. False: there is no such command.
  bool turn_of(std::string_view name, std::string_view arguments);
  // The last answer since the session was opened that its service's cache did not serve as it
  // could.
  const std::optional<insights::CacheUse>& cache_miss() const { return cache_miss_; }
  void go_on();  // lets the model continue without a new prompt
  void compact(const std::string& focus);
  void drop_result(Id entry, const std::string& text);  // from now on `text` is sent instead
  void ask_aside(const std::string& question);          // see agent::Agent
  // Adds a message that asks for no answer; the model reads it with the next one.
  void tell(const std::string& text);
  void tell(const model::Entry& note);

  void leave() { leaving_ = true; }
  // Asks what becomes of running jobs and sub-agents. The user may decide to stay.
  void settle_work();
  bool leaving() const { return leaving_ || parts_.leave; }
  std::string farewell() const;  // how to come back; empty if there is nothing to come back to

 private:
  using Clock = std::chrono::steady_clock;
  // An answer of the user; the time it takes is not the turn's.
  template <class Ask>
  auto waited(const Ask& ask) {
    const Clock::time_point begin = Clock::now();
    auto answer = ask();
    waited_ += Clock::now() - begin;
    return answer;
  }
  using Work = std::function<agent::TurnEnd(const model::Ports&)>;
  agent::TurnEnd work(const Work& turn);
  agent::TurnEnd send(const agent::Agent::Prompt& prompt);
  agent::TurnEnd work_once(const Work& turn);
  void tell_misses(const std::string& since);
  void begin_branch(const std::string& prompt, const JsonText& meta);
  prompt::Steering steering();
  const model::Tool* file_reader() const;  // null: there is none
  bool may_attach(const std::string& name, bool ask);
  model::ModelRef wanted_model(const project::RenderedCommand& command);
  // While a turn runs nothing is asked: what needs an answer is not attached.
  enum class When { idle, during_turn };
  // If that fails, `command` is back in the line, else the prompt.
  model::PromptWithFiles with_its_files(const std::string& prompt, std::string_view mentions,
                                        When when = When::idle, const std::string& command = {});
  model::Ports ports();
  std::string title() const;                               // what it is called, one way or another
  bool tell_of_others(const std::string& open_elsewhere);  // true: another process is at work

  Parts parts_;
  std::optional<agent::Conversation> conversation_{};
  std::optional<checkpoints::StopRequest::By> files_stop_{};
  store::SessionLease open_{};  // tells others that we have it open
  agent::Agent::Settings settings_{};
  std::string model_before_{};
  struct LookedAt {
    Id entry;
    std::optional<Id> head;  // when it was shown; if the head has moved since, that decides
  };
  std::optional<LookedAt> looked_at_{};
  bool leaving_ = false;
  std::optional<insights::CacheUse> cache_miss_{};
  Clock::duration waited_{};  // for answers of the user, in this turn
};

}  // namespace skein::session
