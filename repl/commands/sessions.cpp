#include "repl/commands/handlers.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/store/session_name.h"
#include "core/text/amounts.h"
#include "repl/pick/fuzzy.h"
#include "repl/pick/session_picker.h"
#include "repl/pick/session_rows.h"
#include "repl/shell.h"

namespace skein::commands {

namespace {

std::optional<Id> choose(repl::Shell& shell, std::string_view query);

// The session called `name`. At a terminal a name that is not clear opens the list; a whole key is
// clear.
std::optional<Id> session_meant(repl::Shell& shell, std::string_view name) {
  const store::Result<store::SessionRecord> found = shell.store().find(name);
  if (found) return found->header.session;
  const std::vector<store::SessionRecord> all = shell.store().list();
  const auto fits = [&](const store::SessionRecord& each) {
    return pick::fuzzy_score(name, each.key + " " + each.state.title).has_value();
  };
  if (shell.keyboard() == nullptr || store::is_whole_key(name) || std::ranges::none_of(all, fits))
    throw Error(found.error().text, store::exit_status_of(found.error()));
  return choose(shell, name);
}

// Asks first. The one we are in: first somewhere else, then it goes.
void erase(repl::Shell& shell, const store::SessionRecord& chosen) {
  const store::SessionRecord record =
      chosen;  // it may be the conversation's own, which changes below
  const Id session = record.header.session;
  if (!shell.confirm("Move " + record.key + " (" +
                     counted(static_cast<std::size_t>(record.state.messages), "turn") +
                     ") to the trash?")) {
    shell.screen().print("nothing was deleted\n");
    return;
  }
  if (session == shell.conversation().session()) {
    const std::vector<store::SessionRecord> all = shell.store().list();
    const auto other = std::ranges::find_if(all, [&](const store::SessionRecord& each) {
      return each.header.session != session && each.header.cwd == shell.workspace() &&
             !each.key.starts_with("main:print:");
    });
    if (other == all.end())
      new_session(shell, "");
    else
      shell.open(other->header.session);
  }
  store::value_or_throw(shell.store().erase(session));
  shell.screen().print_untrusted("moved to the trash; /restore " + record.key +
                                 " brings it back\n");
}

std::optional<Id> choose(repl::Shell& shell, std::string_view query) {
  return pick::pick_session(
      *shell.keyboard(), shell.store(),
      {.query = std::string(query),
       .current = shell.conversation().session(),
       .erase = [&](const store::SessionRecord& record) { erase(shell, record); }});
}

}  // namespace

// The model in use goes along. Written down there, so that a restart knows it too.
void open_with_this_model(repl::Shell& shell, Id session) {
  const store::SessionRecord record = store::value_or_throw(shell.store().open(session));
  std::vector<store::NewEntry> changes;
  for (model::Entry& entry : agent::changes_to(record.state, shell.settings().model))
    changes.push_back({std::move(entry)});
  if (!changes.empty())
    store::value_or_throw(shell.store().append_session_entries(session, changes));
  shell.open(session);
}

void new_session(repl::Shell& shell, std::string_view title) {
  const store::SessionHandle made =
      store::value_or_throw(shell.store().create_session({.key = store::fresh_key("main:cli"),
                                                          .cwd = shell.workspace(),
                                                          .title = std::string(title)}));
  open_with_this_model(shell, made.session_id);
}

// At a terminal the newest are enough, unless one asks for all: thousands would push what one was
// reading out of sight.
void list_sessions(repl::Shell& shell, std::string_view filter) {
  constexpr std::size_t most = 50;
  const bool all = std::exchange(filter, filter == "all" ? "" : filter) == "all";
  std::vector<store::SessionRecord> shown = shell.store().list();
  std::erase_if(shown, [&](const store::SessionRecord& record) {
    return (record.key + " " + record.state.title).find(filter) == std::string::npos;
  });
  if (shown.empty()) return shell.screen().print("no session matches\n");
  const std::size_t more =
      shell.keyboard() == nullptr || all || shown.size() <= most ? 0 : shown.size() - most;
  shown.resize(shown.size() - more);
  shell.screen().show(pick::session_table(shown, shell.conversation().session()));
  if (more > 0)
    shell.screen().print("and " + with_separators(more) +
                         " older; /sessions all shows them, /resume finds one\n");
}

void switch_session(repl::Shell& shell, std::string_view name) {
  if (name.empty()) throw Error("which session? /sessions lists them");
  const store::Result<store::SessionRecord> found = shell.store().find(name);
  if (!found && found.error().kind == store::Failure::Kind::gone && store::is_whole_key(name) &&
      shell.confirm("There is no session " + std::string(name) + ". Make it?"))
    return open_with_this_model(
        shell, store::value_or_throw(shell.store().create_session(
                                         {.key = std::string(name), .cwd = shell.workspace()}))
                   .session_id);
  if (const auto session = session_meant(shell, name)) shell.open(*session);
}

void resume_session(repl::Shell& shell, std::string_view text) {
  if (shell.keyboard() == nullptr) return list_sessions(shell, text);
  if (const auto session = choose(shell, text)) shell.open(*session);
}

void show_history(repl::Shell& shell, std::string_view count) {
  std::size_t entries = 20;
  if (count == "all")
    entries = 0;
  else if (!count.empty() &&
           std::from_chars(count.data(), count.data() + count.size(), entries).ec != std::errc{})
    throw Error("/history takes a number or `all`");
  if (shell.conversation().path().empty()) shell.screen().print("nothing has been said yet\n");
  shell.show_path(entries);
}

void delete_session(repl::Shell& shell, std::string_view name) {
  if (name.empty()) return erase(shell, shell.conversation().record());
  if (const auto session = session_meant(shell, name))
    erase(shell, store::value_or_throw(shell.store().open(*session)));
}

void restore_session(repl::Shell& shell, std::string_view name) {
  const store::SessionRecord record = store::value_or_throw(shell.store().restore(name));
  shell.screen().print_untrusted("restored as " + record.key + "; /switch " + record.key +
                                 " opens it\n");
}

void rename_session(repl::Shell& shell, std::string_view title) {
  if (title.empty()) throw Error("/rename takes the new title");
  store::value_or_throw(shell.store().rename(shell.conversation().session(), std::string(title)));
  shell.conversation().reload();
}

std::vector<std::string> session_names(repl::Shell& shell, std::string_view start) {
  std::vector<std::string> out;
  for (const store::SessionRecord& record : shell.store().list())
    if (record.key.starts_with(start)) out.push_back(record.key);
  return out;
}

}  // namespace skein::commands
