// skein without -p: the prompt, on whatever terminal or pipe there is.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "app/application.h"
#include "app/config_watch.h"
#include "app/expiry.h"
#include "app/home.h"
#include "app/notify_command.h"
#include "app/session_choice.h"
#include "app/signals.h"
#include "app/status_line.h"
#include "core/project/git_files.h"
#include "core/project/project_root.h"
#include "core/store/children.h"
#include "core/text/amounts.h"
#include "core/text/text.h"
#include "providers/detect.h"
#include "repl/layout/short_folder.h"
#include "repl/pick/ask.h"
#include "repl/pick/numbered.h"
#include "repl/pick/session_picker.h"
#include "repl/repl.h"

namespace skein::app {

namespace {

bool can_edit_lines(const config::Config& config) {
  const std::string term = env("TERM");
  return !config.screen_reader && attended() && !term.empty() && term != "dumb";
}

// The console shows some of what it does not know.
bool knows_marks() { return env("TERM") != "linux"; }

// For a session in which nothing has been said: what this is, and what can be done with it.
std::string greeting(const Application& application) {
  const std::string branch = project::git_branch(application.workspace());
  std::string out = "skein " SKEIN_VERSION " · " + layout::short_folder(application.workspace());
  if (!branch.empty()) out += " (git: " + branch + ")";
  out += "\n";
  if (application.config().model.empty() &&
      application.models().default_name() == application.models().built_in_name()) {
    out +=
        "No API key was found. Everything works offline with the built-in model: it reads, "
        "searches and edits by rule, but it does not reason. /login says how to give a key, /model "
        "lists what can be used now.\n";
    for (const providers::LocalServer& server : providers::listening_servers(application.catalog()))
      out += "There may be a model on this machine: something answers where " + server.provider +
             " does, at " + server.base_url + "; /model asks it.\n";
  }
  return out + "Type a message, / for commands, @ for files, ! for the shell, ? for keys.\n";
}

// "workspace: src (the project's root is ..; `skein -C ..` works there)"
std::string root_note(const std::string& workspace) {
  const std::optional<std::string> root = project::root_above(workspace, user_home());
  if (!root) return {};
  const std::string up = std::filesystem::path(*root).lexically_relative(workspace).string();
  return "workspace: " + std::filesystem::path(workspace).lexically_relative(*root).string() +
         " (the project's root is " + up + "; `skein -C " + up + "` works there)\n";
}

// "This project has a session from /srv/app: fix the lexer, 2 days old, 14 turns. Go on with it?"
std::string offer_of(const store::SessionRecord& record) {
  return "This project has a session from " + record.header.cwd +
         (record.state.title.empty() ? "" : ": " + record.state.title) + " (" +
         pick::age(record.used_at()) + ", " +
         counted(static_cast<std::size_t>(record.state.messages), "turn") +
         "). Go on with it here?";
}

// -r at a terminal: unless the text fits exactly one session, a list. Nothing: it was left.
std::optional<Invocation> with_chosen_session(const Invocation& invocation,
                                              terminal::Keyboard& keyboard, screen::Screen& screen,
                                              store::SessionStore& store,
                                              const std::string& workspace) {
  const std::vector<store::SessionRecord> found = sessions_with(store, *invocation.resume);
  const auto erase = [&](const store::SessionRecord& record) {
    if (!pick::ask_yes(keyboard, screen, pick::delete_question(record))) return;
    store::value_or_throw(store::erase_family(store, record.header.session));
  };
  const std::optional<Id> session =
      found.size() == 1
          ? found.front().header.session
          : pick::pick_session(
                keyboard, store,
                {.query = *invocation.resume, .workspace = workspace, .erase = erase});
  if (!session) return std::nullopt;
  Invocation out = invocation;
  out.resume.reset();
  out.session = to_string(*session);
  return out;
}

// The same for those who have it read out, and answer with a number.
std::optional<Invocation> with_session_by_number(const Invocation& invocation,
                                                 screen::Screen& screen, store::SessionStore& store,
                                                 const std::string& workspace) {
  constexpr std::size_t most = 20;
  std::vector<store::SessionRecord> found = sessions_with(store, *invocation.resume);
  if (found.empty()) return invocation;  // whoever opens it says so
  std::size_t chosen = 0;
  if (found.size() > 1) {
    const std::size_t all = found.size();
    if (invocation.resume->empty())
      if (auto here = pick::listed_sessions(found, {.workspace = workspace}).shown; !here.empty())
        found = std::move(here);
    found.resize(std::min(most, found.size()));
    screen.print_untrusted(pick::numbered_list(
        all > found.size()
            ? "sessions, and " + std::to_string(all - found.size()) + " more: -r TEXT finds them"
            : "sessions",
        pick::session_lines(found, {})));
    screen.flush();
    edit::Draft answer;
    prompt::make_plain_editor(STDIN_FILENO, false, [] {
      return stop_asked().load();
    })->read("", answer);
    const auto number = pick::number_in(answer.text, found.size());
    if (!number) return std::nullopt;
    chosen = *number;
  }
  Invocation out = invocation;
  out.resume.reset();
  out.session = to_string(found[chosen].header.session);
  return out;
}

}  // namespace

int repl_mode(Application& application, const Invocation& given) {
  for (const auto& [name, style] : application.config().colors) layout::set_style(name, style);
  const terminal::KeyMap keys(application.config().keys);
  const std::string unfold_key = keys.first_shown(terminal::Action::unfold);
  const std::string stop_key = keys.first_shown(terminal::Action::stop);
  screen::Screen::Parts screen_parts = application.screen_parts();
  screen_parts.look.unfold_key = unfold_key;
  screen_parts.look.stop_key = stop_key;
  screen::Screen screen(std::move(screen_parts));
  const terminal::Notifier::Way way = notify_way(application.config());
  const terminal::Abilities abilities =
      terminal::abilities_of([](const char* name) { return env(name); });
  NotifyCommand notify_command(application.config().notify_command, application.workspace());
  std::optional<terminal::Terminal> terminal;
  std::optional<terminal::Keyboard> keyboard;
  if (can_edit_lines(application.config())) {
    terminal.emplace(STDIN_FILENO, STDOUT_FILENO)
        .report_focus(way != terminal::Notifier::Way::off && abilities.reports_focus);
    terminal->set(terminal::Terminal::Mode::turn);
    keyboard.emplace(
        *terminal, [] { return leave_asked().load(); }, keys);
  }
  std::optional<Invocation> invocation = given;
  if (keyboard && given.resume)
    invocation =
        with_chosen_session(given, *keyboard, screen, application.store(), application.workspace());
  else if (given.resume && attended())
    invocation =
        with_session_by_number(given, screen, application.store(), application.workspace());
  if (!invocation) return 0;
  OfferSession offer;
  if (keyboard)
    offer = [&](const store::SessionRecord& record) {
      return pick::ask_yes(*keyboard, screen, offer_of(record));
    };
  const ChosenSession chosen =
      choose_session(application.store(), *invocation, application.workspace(), offer);

  const auto settings_for =
      [&, flags = Application::Flags::count](const agent::Conversation& on) mutable {
        return application.settings_for(on, std::exchange(flags, Application::Flags::do_not));
      };
  prompt::History history(history_file(given));
  const bool greets = attended() && !application.config().quiet;
  session::TypedInput input(
      {.screen = screen,
       .stop = stop_asked(),
       .stops = &stop_count(),
       .keyboard = keyboard ? &*keyboard : nullptr,
       .drafts = prompt::Drafts(given.no_session ? "" : home_folder(given) + "/drafts"),
       .attended = attended(),
       .history = &history,
       .enter_steers = application.config().enter_while_busy == "steer"});
  Expiry expiry(application.config(), application.store(),
                greets && !given.no_session ? home_folder(given) + "/expiry" : "");
  session::Services services = application.services();
  ConfigWatch watch(given, application.workspace());
  services.news = [&](Id open) {
    return application.news().take_notices().text + (greets ? watch.announce() : "") +
           expiry.announce(open);
  };
  services.changed_settings = [&] { return greets ? watch.announce() : ""; };
  session::Session session(
      {.store = application.store(),
       .agent = application.agent(),
       .screen = screen,
       .input = input,
       .stop = stop_asked(),
       .leave = leave_asked(),
       .workspace = application.workspace(),
       .settings_for = settings_for,
       .services = std::move(services),
       .marks =
           keyboard && application.config().terminal_marks && knows_marks()
               ? terminal::TerminalMarks([&](std::string_view bytes) { terminal->write(bytes); })
               : terminal::TerminalMarks(),
       .notifier = terminal::Notifier(
           {.way = keyboard ? way : terminal::Notifier::Way::off,
            .abilities = abilities,
            .write = [&](std::string_view bytes) { terminal->write(bytes); },
            .in_front = [&] { return keyboard->in_front(); },
            .run = [&](const terminal::Notice& notice) { notify_command.run(notice); }}),
       .masking =
           [&](session::Session::Parts::Sink sink) {
             return application.models().masking(std::move(sink));
           },
       .inbox = &application.inbox(),
       .unasked = given.session.empty() && !given.resume && !given.continue_last &&
                  !given.new_session && !given.fork,
       .kept = !given.no_session,
       .greeting =
           [&] { return greets && application.config().banner ? greeting(application) : ""; }});
  repl::Repl repl(session, input, !isatty(STDIN_FILENO));
  prompt::EditorHelp help = repl.editor_help();
  help.stopped = [] { return stop_asked().load(); };
  help.color = screen.look().colour;
  help.look_again = [&]() -> std::optional<std::chrono::milliseconds> {
    if (!application.took_skills()) return std::chrono::milliseconds(20);
    if (!application.works_beside() && !application.news().has_notices()) return std::nullopt;
    return std::chrono::milliseconds(250);
  };
  help.has_news = [&] {
    if (application.skills_wait()) session.catch_up();
    return application.news().has_notices() || keyboard->misses_keys();
  };
  help.announce = [&] {
    screen.print(keyboard->take_missing_keys());
    const News::Notices news = application.news().take_notices();
    screen.print_untrusted(news.text);
    screen.flush();
    return news.wake;
  };
  status::StatusLine status(status_parts(application, session, screen));
  help.above = rows_above(status);
  const auto editor = keyboard ? prompt::make_replxx_editor(*keyboard, history, std::move(help))
                               : prompt::make_plain_editor(STDIN_FILENO, isatty(STDIN_FILENO), [] {
                                   return stop_asked() || leave_asked();
                                 });
  input.use(*editor, repl.editor_help().complete);
  session.open(chosen.session);
  if (greets && given.workspace.empty()) screen.print_untrusted(root_note(application.workspace()));
  if (const std::string note = application.folders().told(session.id()); !note.empty())
    session.tell(agent::news(note, "folder"));
  if (!application.config().quiet)
    screen.print_untrusted(read_line(application.instructions().documents()));
  for (const std::string& text : application.config().notices) screen.print_untrusted(text + "\n");
  for (const std::string& text : application.notices()) screen.print_untrusted(text + "\n");
  screen.print_untrusted(application.news().take_notices().text);
  if (!given.prompt.empty()) repl.send({.text = given.prompt});
  repl.run();
  session.close();
  if (!leave_asked()) screen.print_untrusted(expiry.act());
  return leave_asked() ? interrupted_status : 0;
}

}  // namespace skein::app
