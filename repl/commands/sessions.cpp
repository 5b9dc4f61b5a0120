#include "repl/commands/entry_names.h"
#include "repl/commands/file_steps.h"
#include "repl/commands/handlers.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/store/children.h"
#include "core/store/expiry.h"
#include "core/store/session_name.h"
#include "core/text/amounts.h"
#include "repl/layout/width.h"
#include "repl/pick/fuzzy.h"
#include "repl/pick/session_picker.h"
#include "repl/session/session.h"

namespace skein::commands {

using store::fresh_key, store::SessionRecord, store::value_or_throw;

namespace {

std::optional<Id> choose(Session& session, std::string_view query);

// The session called `name`. At a terminal an ambiguous name opens the list; a whole key is never
// ambiguous.
std::optional<Id> session_meant(Session& session, std::string_view name) {
  const store::Result<SessionRecord> found = session.store().find(name);
  if (found) return found->header.session;
  const std::vector<SessionRecord> all = session.store().list();
  const auto fits = [&](const SessionRecord& each) {
    return pick::fuzzy_score(name, each.key + " " + each.state.title).has_value();
  };
  const bool can_choose = session.keyboard() != nullptr || session.chooses_by_number();
  if (!can_choose || store::is_whole_key(name) || std::ranges::none_of(all, fits))
    throw Error(found.error().text, store::exit_status_of(found.error()));
  return choose(session, name);
}

// Asks first. To delete the open session, another one is opened before it goes.
void erase(Session& session, const SessionRecord& chosen) {
  const auto record = chosen;  // a copy: it may belong to the conversation, which changes below
  const Id id = record.header.session;
  const std::string title =
      record.state.title.empty() ? "" : ", " + layout::fit(record.state.title, 40);
  if (!session.confirm("Move " + record.key + title + " (" +
                       counted(static_cast<std::size_t>(record.state.messages), "turn") +
                       ") to the trash?")) {
    session.screen().print("nothing was deleted\n");
    return;
  }
  if (id == session.id()) {
    const std::vector<SessionRecord> all = session.store().list();
    const auto other = std::ranges::find_if(all, [&](const SessionRecord& each) {
      return each.header.session != id && each.header.cwd == session.workspace() &&
             !each.key.starts_with("main:print:") && !store::is_child(each);
    });
    if (other == all.end())
      new_session(session, "");
    else
      session.open(other->header.session);
  }
  value_or_throw(store::erase_family(session.store(), id));
  session.screen().print_untrusted("moved to the trash; /restore " + record.key +
                                   " brings it back\n");
}

std::optional<Id> choose_by_number(Session& session, std::string_view query) {
  constexpr std::size_t most = 20;
  std::vector<SessionRecord> all = session.store().list();
  store::fold_children(all);
  std::erase_if(all, [&](const SessionRecord& each) {
    return !pick::fuzzy_score(query, each.key + " " + each.state.title);
  });
  if (all.empty()) throw Error("no session matches");
  const std::size_t more = all.size() > most ? all.size() - most : 0;
  all.resize(all.size() - more);
  const auto chosen = session.choose(
      "sessions" + (more > 0 ? ", and " + std::to_string(more) + " older: /resume TEXT finds them"
                             : std::string()),
      pick::session_lines(all, session.id()));
  return chosen ? std::optional(all[*chosen].header.session) : std::nullopt;
}

std::optional<Id> choose(Session& session, std::string_view query) {
  if (session.chooses_by_number()) return choose_by_number(session, query);
  return pick::pick_session(
      *session.keyboard(), session.store(),
      {.query = std::string(query),
       .current = session.id(),
       .erase = [&](const SessionRecord& record) { erase(session, record); }});
}

void open_with_files(Session& session, Id id) {
  if (followed_instead(session, id)) return;
  const Id left = session.id();
  session.open(id);
  offer_files_of(session, left);
}

// The trash, for /restore without a name.
void show_trash(Session& session) {
  const std::vector<store::TrashedSession> all = value_or_throw(session.store().trash());
  if (all.empty()) return session.screen().print("the trash is empty\n");
  layout::Table table{.columns = {{"key"}, {"deleted"}, {"turns", true, true}, {"title"}}};
  for (const store::TrashedSession& each : all)
    table.rows.push_back({each.key.empty() ? to_string(each.session) : each.key,
                          pick::age(utc_from_ms(each.thrown_away_ms)),
                          std::to_string(each.messages), each.title});
  session.screen().show(table);
  session.screen().print("/restore KEY brings one back\n");
}

}  // namespace

// Keeps the model in use, and saves that in the other session so that a restart knows it too.
void open_with_this_model(Session& session, Id id) {
  const SessionRecord record = value_or_throw(session.store().open(id));
  std::vector<store::NewEntry> changes;
  for (model::Entry& entry : agent::changes_to(record.state, session.settings().model))
    changes.push_back({std::move(entry)});
  if (!changes.empty()) value_or_throw(session.store().append_session_entries(id, changes));
  session.open(id);
}

void new_session(Session& session, std::string_view title) {
  const store::SessionHandle made = value_or_throw(session.store().create_session(
      {.key = fresh_key("main:cli"), .cwd = session.workspace(), .title = std::string(title)}));
  open_with_this_model(session, made.session_id);
}

// At a terminal only the newest are listed unless all are asked for: thousands would push whatever
// the user was reading out of sight.
void list_sessions(Session& session, std::string_view filter) {
  constexpr std::size_t most = 50;
  const bool all = filter == "all", own = filter == "own";
  if (all || own) filter = {};
  std::vector<SessionRecord> shown = session.store().list();
  if (own) std::erase_if(shown, &pick::is_import);
  if (!all) store::fold_children(shown);
  std::erase_if(shown, [&](const SessionRecord& record) {
    return (record.key + " " + record.state.title).find(filter) == std::string::npos;
  });
  if (shown.empty()) return session.screen().print("no session matches\n");
  const std::size_t more =
      session.keyboard() == nullptr || all || shown.size() <= most ? 0 : shown.size() - most;
  shown.resize(shown.size() - more);
  session.screen().show(pick::session_table(shown, session.id(), session.store().at_work(shown)));
  if (more > 0)
    session.screen().print("and " + with_separators(more) +
                           " older; /sessions all shows them, /resume finds one\n");
}

void switch_session(Session& session, std::string_view name) {
  if (name.empty()) throw Error("which session? /sessions lists them");
  const store::Result<SessionRecord> found = session.store().find(name);
  if (!found && found.error().kind == store::Failure::Kind::gone && store::is_whole_key(name) &&
      session.confirm("There is no session " + std::string(name) + ". Create it?"))
    return open_with_this_model(
        session, value_or_throw(session.store().create_session(
                                    {.key = std::string(name), .cwd = session.workspace()}))
                     .session_id);
  if (const auto id = session_meant(session, name)) open_with_files(session, *id);
}

void resume_session(Session& session, std::string_view text) {
  if (session.keyboard() == nullptr && !session.chooses_by_number())
    return list_sessions(session, text);
  if (const auto id = choose(session, text)) open_with_files(session, *id);
}

void show_history(Session& session, std::string_view count) {
  std::size_t entries = 20;
  if (count == "all")
    entries = 0;
  else if (!count.empty() &&
           std::from_chars(count.data(), count.data() + count.size(), entries).ec != std::errc{})
    throw Error("/history takes a number or `all`");
  if (session.conversation().path().empty()) session.screen().print("nothing has been said yet\n");
  session.show_path(entries);
}

void delete_session(Session& session, std::string_view name) {
  if (name.empty()) return erase(session, session.conversation().record());
  if (const auto id = session_meant(session, name))
    erase(session, value_or_throw(session.store().open(*id)));
}

void restore_session(Session& session, std::string_view name) {
  if (name.empty()) return show_trash(session);
  const SessionRecord record = value_or_throw(store::restore_for_use(session.store(), name));
  session.screen().print_untrusted("restored as " + record.key + "; /switch " + record.key +
                                   " opens it\n");
}

void rename_session(Session& session, std::string_view title) {
  if (title.empty()) throw Error("/rename takes the new title");
  value_or_throw(session.store().rename(session.id(), std::string(title)));
  session.conversation().reload();
  session.screen().print_untrusted("this session is called: " + std::string(title) + "\n");
}

std::vector<std::string> session_names(Session& session, std::string_view start) {
  return names_from(session.store().list(), start, &SessionRecord::key);
}

// Found by their titles too.
void describe_sessions(Session& session, std::vector<prompt::Choice>& choices) {
  const std::vector<SessionRecord> all = session.store().list();
  if (all.size() != choices.size()) return;  // they come in the order of the list
  for (std::size_t i = 0; i < all.size(); ++i) {
    prompt::Choice& choice = choices[i];
    const model::SessionState& state = all[i].state;
    choice.about = state.title.empty() ? "(untitled)" : state.title;
    choice.letters = choice.text + " " + state.title;
    choice.about += " · " + pick::age(state.updated_at);
  }
}

}  // namespace skein::commands
