// skein without -p: the prompt, on whatever terminal or pipe there is, and the programs of the user
// that it runs: notify-command, and the command of the status line.
#include <unistd.h>

#include <future>

#include "app/application.h"
#include "app/greeting.h"
#include "app/invocation/cli.h"
#include "app/invocation/signals.h"
#include "app/session_choice.h"
#include "app/setup/config_watch.h"
#include "app/setup/home.h"
#include "core/process/environment.h"
#include "core/process/side_by_side.h"
#include "core/project/command_text.h"
#include "core/project/project_root.h"
#include "core/store/expiry.h"
#include "core/text/base.h"
#include "core/text/json.h"
#include "core/text/log.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/style.h"
#include "repl/pick/ask.h"
#include "repl/repl.h"
#include "repl/status/status_line.h"

namespace skein::app {

using std::chrono::milliseconds, status::StatusLine, store::Expired, store::Expiring;

namespace {

constexpr std::chrono::milliseconds time_to_notify{2'000};

// {text} in an argument means the text of the notification. It never begins with a dash.
std::vector<std::string> filled_in(std::vector<std::string> arguments, const std::string& text) {
  constexpr std::string_view place = "{text}";
  for (std::string& each : arguments)
    for (std::size_t at = 0; (at = each.find(place, at)) != std::string::npos; at += text.size())
      each.replace(at, place.size(), text);
  return arguments;
}

// `notify` and `notify-command` as they are meant together. Throws Error if they make no sense.
terminal::Notifier::Way notify_way(const config::Config& config) {
  using Way = terminal::Notifier::Way;
  const Way way = terminal::parse_way(config.notify).value_or(Way::automatic);
  const bool has_command = !project::split_words(config.notify_command).empty();
  if (way == Way::command && !has_command)
    throw UsageError("notify = \"command\" needs notify-command, which is not set");
  return way == Way::automatic && has_command ? Way::command : way;
}

class NotifyCommand {
 public:
  NotifyCommand(const std::string& command, std::string folder)
      : arguments_(project::split_words(command)), folder_(std::move(folder)) {}

  // Returns at once; the program has two seconds. While one runs, no other is started.
  void run(const terminal::Notification& notice) {
    if (arguments_.empty()) return;
    if (running_.valid() && running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return;
    const process::UserCommand order{
        .arguments = filled_in(arguments_, notice.text),
        .environment = process::own_environment(),
        .folder = "/",  // where no relative path leads into the workspace
        .input = dump({{"event", notice.event},
                       {"title", notice.title},
                       {"text", notice.text},
                       {"cwd", folder_}}) +
                 "\n",
        .time = time_to_notify};
    running_ = std::async(std::launch::async, [order] {
      const std::vector<process::CommandEnd> ends = process::run_all({&order, 1}, {});
      using Cause = process::CommandEnd::Cause;
      if (ends.front().cause != Cause::exited || ends.front().code != 0)
        log_warning("notify-command failed", {{"code", ends.front().code}});
    });
  }

 private:
  std::vector<std::string> arguments_;
  std::string folder_;
  std::future<void> running_{};  // waited for in the end
};

milliseconds from_seconds(double seconds) {
  return milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// Empty: what it printed counts.
std::string trouble_with(const process::CommandEnd& end) {
  using enum process::CommandEnd::Cause;
  const std::string_view first = trimmed(std::string_view(end.errors).substr(0, 200));
  const std::string said =
      first.empty() ? "" : ": " + std::string(first.substr(0, first.find('\n')));
  switch (end.cause) {
    case exited:
      if (end.code != 0) return "it ended with exit status " + std::to_string(end.code) + said;
      return end.cut ? "it printed more than a megabyte" : "";
    case signalled: return "it was killed by signal " + std::to_string(end.code);
    case timed_out: return "it took too long; statusline.timeout sets the limit";
    case stopped: return "it was stopped";
    case not_started: return "it could not be started";
  }
  return {};
}

StatusLine::Run run_of(const Application& application) {
  const config::StatusLineSettings& settings = application.config().statusline;
  process::UserCommand order{.arguments = {"/bin/sh", "-c", settings.command},
                             .environment = application.own_environment(),
                             .folder = application.workspace(),
                             .input = {},
                             .time = from_seconds(settings.timeout)};
  return [order](const std::string& input, const std::atomic<bool>& stop, int wake) {
    process::UserCommand now = order;
    now.input = input;
    const model::Ports ports{.stop = &stop, .input = {.fd = wake, .on_ready = [] {}}};
    process::CommandEnd end = std::move(process::run_all({&now, 1}, ports).front());
    const std::string trouble = trouble_with(end);
    return StatusLine::End{std::move(end.output), trouble};
  };
}

// Whether this is among the items of the status line.
bool shows(const config::StatusLineSettings& settings, std::string_view item) {
  const std::vector<std::string> items = settings.items.value_or(status::usual_items());
  return std::ranges::find(items, item) != items.end();
}

StatusLine::Parts status_parts(const Application& application, session::Session& session,
                               screen::Screen& screen) {
  const config::StatusLineSettings& settings = application.config().statusline;
  const bool with_cost = !settings.command.empty() || shows(settings, "cost");
  const auto window = [&](const model::ModelRef& model) {
    const catalog::ModelRow row = application.catalog().find_model(model);
    return row.known ? row.window : 0;
  };
  const auto transcript = [&](Id id) { return application.transcript_of(id); };
  StatusLine::Parts parts{.facts = status::fact_finder({session, with_cost, window, transcript}),
                          .items = settings.items.value_or(status::usual_items()),
                          .look = screen.look(),
                          .refresh = from_seconds(settings.refresh)};
  parts.tell = [&screen](const std::string& trouble) {
    screen.show(model::Notice{model::Notice::Level::warning, "the status command: " + trouble});
    screen.flush();
  };
  if (!settings.command.empty()) parts.run = run_of(application);
  return parts;
}

// A sentence about those of them to which this happens; empty: there are none.
std::string sentence_on(const std::vector<Expiring>& all, Expiring::What what,
                        const std::string& before, const std::string& between,
                        const std::string& after) {
  constexpr std::size_t most_names = 5;
  std::vector<std::string> names;
  std::size_t count = 0;
  for (const Expiring& each : all)
    if (each.what == what && ++count <= most_names) names.push_back(each.record.key);
  if (count == 0) return {};
  return before + counted(count, "session") + between + listed(names) +
         (count > most_names ? " and " + with_separators(count - most_names) + " more" : "") +
         after;
}

// Archives sessions or moves them to the trash when they have not been used for long: only if the
// configuration says so, at most once a day, announced at the prompt and done when skein ends.
class Expiry {
 public:
  // `stamp` is the file that remembers when it was last done; empty: it is not done at all. The
  // store must outlive this.
  Expiry(const config::Config& config, store::SessionStore& store, std::string stamp)
      : config_(config), store_(store), stamp_(std::move(stamp)) {}

  // What will be done to which sessions; empty: nothing, or it has been reported.
  std::string announce(Id open) {
    if (stamp_.empty() || std::exchange(asked_, true) || !is_due()) return {};
    planned_ = store::expiring(
        store_.list(), {duration_ms(config_.archive_after), duration_ms(config_.trash_after)},
        now_ms(), open);
    if (planned_.empty()) {
      remember();
      return {};
    }
    return sentence_on(planned_, Expiring::What::archive, "When you leave, ",
                       " unused for long will be archived: ", ".\n") +
           sentence_on(planned_, Expiring::What::trash, "When you leave, ",
                       " unused for long will move to the trash: ", ".\n") +
           "`skein sessions pin KEY` exempts a session.\n";
  }

  // Does what was announced, as far as two seconds reach; what was done.
  std::string act() {
    if (planned_.empty()) return {};
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + std::chrono::seconds(2);
    std::vector<Expiring> done;
    std::string troubles;
    for (const Expiring& each : planned_) {
      if (Clock::now() > end) break;
      const store::Result<Expired> outcome = store::expire(store_, each);
      if (!outcome)
        troubles += each.record.key + " was not changed: " + outcome.error().text + "\n";
      else if (*outcome == Expired::done)
        done.push_back(each);
    }
    planned_.clear();
    remember();
    return sentence_on(done, Expiring::What::archive, "archived ", ": ", "\n") +
           sentence_on(done, Expiring::What::trash, "moved ",
                       " to the trash: ", "; `skein sessions restore KEY` restores one\n") +
           troubles;
  }

 private:
  bool is_due() const {
    const std::string stamp = file_beginning(stamp_);
    const std::optional<std::int64_t> last = ms_from_utc(stamp.substr(0, stamp.find('\n')));
    // A time in the future is of a clock that was wrong.
    return !last || now_ms() - *last >= day_ms || *last > now_ms();
  }

  // If it cannot be written, it is done more often than it should be, and announced each time.
  void remember() const { replace_small_file(stamp_, now_utc() + "\n"); }

  const config::Config& config_;
  store::SessionStore& store_;
  std::string stamp_;
  bool asked_ = false;
  std::vector<Expiring> planned_{};
};

bool can_edit_lines(const config::Config& config) {
  const std::string term = env("TERM");
  return !config.screen_reader && attended() && !term.empty() && term != "dumb";
}

// "workspace: src (the project's root is ..; `skein -C ..` works there)"
std::string root_note(const std::string& workspace) {
  const std::optional<std::string> root = project::root_above(workspace, user_home());
  if (!root) return {};
  const std::string up = std::filesystem::path(*root).lexically_relative(workspace).string();
  return "workspace: " + std::filesystem::path(workspace).lexically_relative(*root).string() +
         " (the project's root is " + up + "; `skein -C " + up + "` uses it)\n";
}

// Whether the line above the prompt shows how full the context is.
bool has_context_in_status(const config::Config& config) {
  return can_edit_lines(config) && config.statusline.command.empty() &&
         shows(config.statusline, "context");
}

screen::Screen::Parts screen_parts_for(const Application& application) {
  screen::Screen::Parts parts = application.screen_parts();
  const bool in_status = has_context_in_status(application.config());
  parts.account = [account = std::move(parts.account), in_status](screen::TurnSummary& turn) {
    account(turn);
    turn.context_in_status = in_status;
  };
  return parts;
}

// The terminal and its keyboard; both are none where lines cannot be edited.
struct OpenTerminal {
  OpenTerminal(const config::Config& config, const terminal::KeyMap& keys, bool report_focus,
               bool colour) {
    if (!can_edit_lines(config)) return;
    terminal.emplace(STDIN_FILENO, STDOUT_FILENO).report_focus(report_focus);
    terminal->set(terminal::Terminal::Mode::turn);
    keyboard.emplace(
        *terminal, [] { return leave_asked().load(); }, keys);
    // The console shows what it does not know.
    if (colour && config.theme == "auto" && env("TERM") != "linux") keyboard->ask_background();
  }

  std::optional<terminal::Terminal> terminal{};
  std::optional<terminal::Keyboard> keyboard{};
};

// The prompt: what it needs of the terminal, and the session that is worked on there.
class PromptMode {
 public:
  PromptMode(Application& application, const Invocation& given, bool titled)
      : application_(application), given_(given), titled_(titled) {}

  int run() {
    name_keys();
    use_theme();
    const std::optional<Invocation> invocation = with_session();
    if (!invocation) return 0;
    const Id chosen = chosen_session(*invocation);
    session::Session session(session_parts());
    repl::Repl repl(session, input_, !isatty(STDIN_FILENO));
    StatusLine status(status_parts(application_, session, screen_));
    prompt::EditorHelp help = editor_help(repl, session);
    help.above = &status;
    const auto editor = keyboard_ != nullptr
                            ? prompt::make_replxx_editor(*keyboard_, history_, std::move(help))
                            : prompt::make_plain_editor(STDIN_FILENO, isatty(STDIN_FILENO), [] {
                                return stop_asked() || leave_asked();
                              });
    input_.use(*editor, repl.editor_help().complete);
    use_theme();  // an answer may have come by now
    session.open(chosen);
    print_notices(session);
    if (!given_.prompt.empty()) repl.send({.text = given_.prompt});
    repl.run();
    session.close();
    if (!leave_asked()) screen_.print_untrusted(expiry_.act());
    return leave_asked() ? interrupted_status : 0;
  }

 private:
  bool is_light() const {
    if (config_.theme != "auto") return config_.theme == "light";
    const std::optional<bool> answer = keyboard_ != nullptr ? keyboard_->light() : std::nullopt;
    return answer.value_or(terminal::is_light(env("COLORFGBG")).value_or(false));
  }
  void use_theme() {
    if (keyboard_ != nullptr) keyboard_->look_for_background();
    light_ = is_light();
    layout::set_theme(light_ ? layout::Theme::light : layout::Theme::dark);
    take_colors(colors_);
  }

  // True: some look different now. A colour that is no longer set stays until skein ends.
  bool take_colors(const std::map<std::string, layout::Style>& colors) {
    bool changed = false;
    for (const auto& [name, style] : colors) {
      colors_[name] = style;
      changed = layout::set_style(name, style) || changed;
    }
    return changed;
  }

  bool take_keys(const std::map<std::string, std::vector<std::string>>& keys) {
    if (std::exchange(key_settings_, keys) == keys) return false;
    keys_ = terminal::KeyMap(keys);
    name_keys();
    if (keyboard_ != nullptr) keyboard_->check_keys();
    return true;
  }
  void name_keys() {
    screen_.name_keys(keys_.first_shown(terminal::Action::unfold),
                      keys_.first_shown(terminal::Action::stop));
  }

  // Nothing: the user left the list.
  std::optional<Invocation> with_session() {
    if (!given_.resume || !attended()) return given_;
    return chosen_by_user(given_, keyboard_, screen_, application_.store(),
                          application_.workspace());
  }

  Id chosen_session(const Invocation& invocation) {
    OfferSession offer;
    if (keyboard_ != nullptr)
      offer = [this](const std::string& question) {
        return pick::ask_yes(*keyboard_, screen_, question);
      };
    return choose_session(application_.store(), invocation, application_.workspace(), offer)
        .session;
  }

  terminal::Notifier notifier() {
    return terminal::Notifier(
        {.way = keyboard_ != nullptr ? way_ : terminal::Notifier::Way::off,
         .abilities = abilities_,
         .write = [this](std::string_view bytes) { open_.terminal->write(bytes); },
         .in_front = [this] { return keyboard_->in_front(); },
         .run = [this](const terminal::Notification& notice) { notify_command_.run(notice); }});
  }

  // Applies what can be applied at once of changed configuration files; what to tell the user. The
  // open session has new rules after its next catch_up().
  std::string take_changes() {
    const std::optional<config::Config> now = watch_.look();
    if (!now) return {};
    std::vector<std::string> applied;
    if (now->troubles.empty()) {
      applied = application_.tighten(now->rules);
      if (take_colors(now->colors)) applied.emplace_back("[colors]");
      if (take_keys(now->keys)) applied.emplace_back("[keys]");
    }
    return watch_.report(applied);
  }

  session::Services services() {
    session::Services services = application_.services();
    services.news = [this](std::optional<Id> open) {
      const std::string news = open ? application_.news().take_notices().text : "";
      const std::string changed = take_changes();
      return news + (greets_ ? changed : "") + (open ? expiry_.announce(*open) : "");
    };
    return services;
  }

  session::Session::Parts session_parts() {
    return {.store = application_.store(),
            .agent = application_.agent(),
            .screen = screen_,
            .input = input_,
            .stop = stop_asked(),
            .leave = leave_asked(),
            .workspace = application_.workspace(),
            .settings_for =
                [this, flags = Application::Flags::count](const agent::Conversation& on) mutable {
                  return application_.settings_for(
                      on, std::exchange(flags, Application::Flags::do_not));
                },
            .services = services(),
            .marks =  // The console shows some of what it does not know.
            keyboard_ != nullptr && env("TERM") != "linux"
                ? terminal::TerminalMarks(
                      [this](std::string_view bytes) { open_.terminal->write(bytes); })
                : terminal::TerminalMarks(),
            .notifier = notifier(),
            .inbox = &application_.inbox(),
            .unasked = given_.session.empty() && !given_.resume && !given_.continue_last &&
                       !given_.new_session && !given_.fork,
            .kept = !given_.no_session,
            .greeting =
                [this] {
                  const bool titled = std::exchange(titled_, false);
                  greeted_ = greets_;
                  return greets_ ? greeting(application_, given_, screen_, titled) : "";
                }};
  }

  prompt::EditorHelp editor_help(repl::Repl& repl, session::Session& session) {
    prompt::EditorHelp help = repl.editor_help();
    help.stopped = [] { return stop_asked().load(); };
    help.color = screen_.look().colour;
    help.look_again = [this]() -> std::optional<std::chrono::milliseconds> {
      if (!application_.took_skills()) return std::chrono::milliseconds(20);
      if (!application_.works_in_background() && !application_.news().has_notices())
        return std::nullopt;
      return std::chrono::milliseconds(250);
    };
    help.has_news = [this, &session] {
      if (application_.skills_wait()) session.catch_up();
      return application_.news().has_notices() || keyboard_->misses_keys() || is_light() != light_;
    };
    help.announce = [this] {
      use_theme();
      screen_.print(keyboard_->take_missing_keys());
      const News::Notices news = application_.news().take_notices();
      screen_.print_untrusted(news.text);
      screen_.flush();
      return news.wake;
    };
    return help;
  }

  void print_notices(session::Session& session) {
    if (greets_ && given_.workspace.empty())
      screen_.print_untrusted(root_note(application_.workspace()));
    if (const std::string note = application_.folders().news(session.id()); !note.empty())
      session.tell(agent::news(note, "folder"));
    if (!config_.quiet && !greeted_)  // the greeting names them
      screen_.print_untrusted(read_line(application_.documents()));
    for (const std::string& text : config_.notices) screen_.print_untrusted(text + "\n");
    for (const std::string& text : application_.notices()) screen_.print_untrusted(text + "\n");
    screen_.print_untrusted(application_.news().take_notices().text);
  }

  Application& application_;
  const Invocation& given_;
  bool titled_, greeted_ = false;
  const config::Config& config_ = application_.config();
  std::map<std::string, std::vector<std::string>> key_settings_ = config_.keys;
  terminal::KeyMap keys_{key_settings_};
  screen::Screen screen_{screen_parts_for(application_)};
  const terminal::Notifier::Way way_ = notify_way(config_);
  const terminal::Abilities abilities_ =
      terminal::abilities_of([](const char* name) { return env(name); });
  NotifyCommand notify_command_{config_.notify_command, application_.workspace()};
  OpenTerminal open_{config_, keys_,
                     way_ != terminal::Notifier::Way::off&& abilities_.reports_focus,
                     screen_.look().colour};
  terminal::Keyboard* const keyboard_ = open_.keyboard ? &*open_.keyboard : nullptr;
  bool light_ = false;  // the theme in use
  std::map<std::string, layout::Style> colors_ = config_.colors;
  const bool greets_ = attended() && !config_.quiet;
  prompt::History history_{history_file(given_)};
  session::TypedInput input_{
      {.screen = screen_,
       .stop = stop_asked(),
       .stops = &stop_count(),
       .keyboard = keyboard_,
       .drafts = prompt::Drafts(given_.no_session ? "" : home_folder(given_) + "/drafts"),
       .attended = attended(),
       .history = &history_}};
  Expiry expiry_{config_, application_.store(),
                 greets_ && !given_.no_session ? home_folder(given_) + "/expiry" : ""};
  ConfigWatch watch_{given_, application_.workspace()};
};

}  // namespace

int repl_mode(Application& application, const Invocation& given, bool titled) {
  return PromptMode(application, given, titled).run();
}

}  // namespace skein::app
