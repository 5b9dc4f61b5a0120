#include "app/session_choice.h"

#include "app/invocation/signals.h"
#include "app/setup/home.h"
#include "core/store/children.h"
#include "core/store/session_name.h"
#include "core/text/text.h"
#include "repl/pick/ask.h"
#include "repl/pick/session_picker.h"
#include "repl/prompt/line_editor.h"

namespace skein::app {

using store::fresh_key, store::SessionRecord, store::SessionStore, store::value_or_throw;

namespace {

Id make(SessionStore& store, const std::string& key, const std::string& workspace,
        const std::string& title = {}) {
  return value_or_throw(store.create_session({.key = key, .cwd = workspace, .title = title}))
      .session_id;
}

const std::string& title_of(const SessionRecord& record) { return record.state.title; }

// Those whose key, title or id has `text` in it, in any case; a whole key means that one alone, and
// so does a title that no other has.
std::vector<SessionRecord> sessions_with(SessionStore& store, const std::string& text) {
  if (store::is_whole_key(text)) {
    store::Result<SessionRecord> one = store.find(text);
    if (!one && one.error().kind == store::Failure::Kind::gone) return {};
    return {value_or_throw(std::move(one))};
  }
  std::vector<SessionRecord> all = store.list(), found;
  // What a user is shown as a session's name opens that session, although others contain it.
  if (const auto titled = std::ranges::find(all, text, &title_of);
      titled != all.end() && std::ranges::count(all, text, &title_of) == 1)
    return {*titled};
  for (SessionRecord& record : all)
    if (lower(record.key + " " + record.state.title + " " + to_string(record.header.session))
            .find(lower(text)) != std::string::npos)
      found.push_back(std::move(record));
  return found;
}

Id matching(SessionStore& store, const std::string& text) {
  const std::vector<SessionRecord> found = sessions_with(store, text);
  if (found.size() == 1) return found.front().header.session;
  if (found.empty())
    throw Error(text.empty() ? "there are no sessions yet; `skein` starts one"
                             : "no session matches '" + text + "'",
                ExitStatus::no_session);
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 20); ++i)
    list += "\n  " + found[i].key + "  " + found[i].state.title;
  throw Error(std::to_string(found.size()) + " sessions match; choose one with -s:" + list,
              ExitStatus::no_session);
}

bool is_for_people(const SessionRecord& record) {
  return !record.key.starts_with("main:print:") && !store::is_child(record);
}

// "This project has a session from /srv/app: fix the lexer, 2 days old, 14 turns. Go on with it?"
std::string offer_of(const SessionRecord& record) {
  return "This project has a session from " + record.header.cwd +
         (record.state.title.empty() ? "" : ": " + record.state.title) + " (" +
         pick::age(record.used_at()) + ", " +
         counted(static_cast<std::size_t>(record.state.messages), "turn") + "). Continue it here?";
}

// The session of the same project that was used last, if it was begun in another folder, maybe on
// another machine, and the user wants to go on with it. Asked once: from then on one of them has
// been used here.
std::optional<Id> from_another_folder(SessionStore& store, const std::string& workspace,
                                      const OfferSession& offer) {
  const std::string project = offer ? project_of(workspace) : "";
  if (project.empty()) return std::nullopt;
  for (const SessionRecord& record : store.list({.project = project}))
    if (is_for_people(record) && record.state.messages > 0)
      return offer(offer_of(record)) ? std::optional(record.header.session) : std::nullopt;
  return std::nullopt;
}

// The session used last here, or the first one.
Id last_or_default(SessionStore& store, const std::string& workspace, const OfferSession& offer) {
  if (const auto last = store.presence().last_used(workspace)) return *last;
  // `last` is only a hint: the sessions themselves know where they were made. One that was brought
  // in from elsewhere counts if there is none of our own.
  const std::vector<SessionRecord> here = store.list({.cwd = workspace});
  for (const bool imported : {false, true})
    for (const SessionRecord& record : here)
      if (is_for_people(record) && record.state.origin.empty() != imported)
        return record.header.session;
  if (const auto other = from_another_folder(store, workspace, offer)) return *other;
  const bool taken = bool(store.find(store::default_key));
  return make(store, taken ? fresh_key("main:cli") : std::string(store::default_key), workspace);
}

Invocation opening(Invocation invocation, Id session) {
  invocation.resume.reset();
  invocation.session = to_string(session);
  return invocation;
}

// -r at a terminal: unless the text fits exactly one session, a list. Nothing: it was left.
std::optional<Invocation> with_chosen_session(const Invocation& invocation,
                                              terminal::Keyboard& keyboard, screen::Screen& screen,
                                              SessionStore& store, const std::string& workspace) {
  const std::vector<SessionRecord> found = sessions_with(store, *invocation.resume);
  if (found.empty() && invocation.resume->empty()) return invocation;  // opening it says so
  const auto erase = [&](const SessionRecord& record) {
    if (!pick::ask_yes(keyboard, screen, pick::delete_question(record))) return;
    value_or_throw(store::erase_family(store, record.header.session));
  };
  const std::optional<Id> session =
      found.size() == 1
          ? found.front().header.session
          : pick::pick_session(
                keyboard, store,
                {.query = *invocation.resume, .workspace = workspace, .erase = erase});
  return session ? std::optional(opening(invocation, *session)) : std::nullopt;
}

// The same for those who have it read out, and answer with a number.
std::optional<Invocation> with_session_by_number(const Invocation& invocation,
                                                 screen::Screen& screen, SessionStore& store,
                                                 const std::string& workspace) {
  constexpr std::size_t most = 20;
  std::vector<SessionRecord> found = sessions_with(store, *invocation.resume);
  if (found.empty()) return invocation;  // opening it reports the error
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
  return opening(invocation, found[chosen].header.session);
}

}  // namespace

ChosenSession choose_session(SessionStore& store, const Invocation& invocation,
                             const std::string& workspace, const OfferSession& offer) {
  ChosenSession chosen;
  if (invocation.no_session) {
    chosen.session =
        make(store, fresh_key("main:memory"), workspace);  // no key another session may have
  } else if (!invocation.session.empty()) {
    const store::FoundSession found =
        value_or_throw(store.find_or_create(invocation.session, [&] { return workspace; }));
    chosen.session = found.session;
    if (invocation.print)
      chosen.remember = !store.open(found.session).key.starts_with("main:print:");
  } else if (invocation.new_session) {
    chosen.session = make(store, fresh_key("main:cli"), workspace, *invocation.new_session);
  } else if (invocation.resume) {
    chosen.session = matching(store, *invocation.resume);
  } else if (invocation.print && !invocation.continue_last && !invocation.fork) {
    chosen.session = make(store, fresh_key("main:print"), workspace);
    chosen.remember = false;
  } else {
    chosen.session = last_or_default(store, workspace, offer);
  }
  if (!invocation.fork) return chosen;
  const SessionRecord record = store.open(chosen.session);
  if (!record.state.head) return chosen;
  return {value_or_throw(store.branch_from_entry(chosen.session, *record.state.head)).session_id};
}

std::optional<Invocation> chosen_by_user(const Invocation& invocation, terminal::Keyboard* keyboard,
                                         screen::Screen& screen, SessionStore& store,
                                         const std::string& workspace) {
  return keyboard != nullptr ? with_chosen_session(invocation, *keyboard, screen, store, workspace)
                             : with_session_by_number(invocation, screen, store, workspace);
}

}  // namespace skein::app
