// skein sessions push and pull, sync, and admin init-db: sessions from one home to another. A home
// is a folder or a database; drafts, histories and caches stay where they are.
#include <unistd.h>

#include "app/setup/home.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/store/postgres/schema.h"
#include "core/store/session_name.h"
#include "core/store/transfer/transfer.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"

namespace skein::verbs {

using store::SessionRecord, store::StorageBackend, store::value_or_throw, store::transfer::Moved;
using store::transfer::Synced;

namespace {

std::vector<SessionRecord> chosen_sessions(const Invocation& invocation, StorageBackend& from) {
  const bool all = invocation.has("--all");
  if (all == !invocation.arguments.empty()) throw UsageError("name sessions, or use --all");
  std::vector<SessionRecord> sessions = value_or_throw(from.list());
  if (all) return sessions;
  std::vector<SessionRecord> out;
  for (const std::string& name : invocation.arguments)
    out.push_back(*value_or_throw(store::session_called(sessions, name)));
  return out;
}

std::string summary(const Moved& moved) {
  const std::string entries = counted(moved.entries, "entry", "entries");
  switch (moved.how) {
    case Moved::How::whole: return "copied, " + entries;
    case Moved::How::extended: return entries + " more";
    case Moved::How::branched:
      return entries +
             " as a branch, because the session also continued there; the current branch stays";
    case Moved::How::unchanged: break;
  }
  return "nothing new";
}

constexpr const char* names_of_how[] = {"whole", "extended", "branched", "unchanged"};

// Each session by itself: one that cannot be moved keeps back no other. The worst status there was.
int move_all(const Invocation& invocation, StorageBackend& from, StorageBackend& to) {
  const std::vector<SessionRecord> sessions = chosen_sessions(invocation, from);
  Progress progress("moving", bytes_of(sessions), Progress::Unit::bytes);
  ListPrinter out(invocation);
  int status = 0;
  for (const SessionRecord& session : sessions) {
    const store::Result<Moved> moved = store::transfer::move_session(
        from, to, session.header.session, [&](std::uint64_t step) { progress.step(step); });
    from.close(session.header.session);
    to.close(session.header.session);
    if (!invocation.has("--json")) progress.end();
    Json row = {{"key", session.key}, {"id", to_string(session.header.session)}};
    if (moved) {
      row["how"] = names_of_how[static_cast<std::size_t>(moved->how)];
      row["entries"] = moved->entries;
      out.add(dump(row), session.key + "  " + summary(*moved));
    } else {
      row["error"] = moved.error().text;
      out.add_failure(dump(row), session.key + "  " + moved.error().text);
      status = std::max(status, static_cast<int>(exit_status_of(moved.error())));
    }
  }
  progress.end();
  out.end("no sessions to move");
  return status;
}

std::string other_home(const Invocation& invocation, const char* flag) {
  const std::string home = invocation.value(flag);
  if (home.empty())
    throw UsageError(std::string("give ") + flag +
                     " HOME: a folder, or postgresql://USER@HOST/DATABASE");
  if (app::is_in_home(invocation, home))
    throw UsageError(home + " is this home, or a folder in it");
  return home;
}

// user@host:folder, as other programs take it.
bool is_elsewhere(const std::string& home) {
  const std::size_t colon = home.find(':');
  return colon != std::string::npos && home.find('/') > colon && home.find("://") != colon;
}

// What either home has, without what was thrown away in the other: it would come back.
struct Common {
  std::map<Id, SessionRecord> sessions{};
  std::size_t thrown_away = 0;
};
Common sessions_of(StorageBackend& here, StorageBackend& there) {
  Common out;
  std::set<Id> trashed;
  for (StorageBackend* store : {&here, &there})
    for (const store::TrashedSession& each : value_or_throw(store->trash()))
      trashed.insert(each.session);
  std::set<Id> left;
  for (StorageBackend* store : {&here, &there})
    for (SessionRecord& record : value_or_throw(store->list())) {
      const Id id = record.header.session;
      if (trashed.contains(id))
        left.insert(id);
      else
        out.sessions.try_emplace(id, std::move(record));
    }
  out.thrown_away = left.size();
  return out;
}

std::string summary(const Synced& synced) {
  std::vector<std::string> parts;
  const auto add = [&](const Moved& moved, const char* verb, const char* home) {
    if (moved.how != Moved::How::unchanged)
      parts.push_back(counted(moved.entries, "entry", "entries") + " " + verb +
                      (moved.how == Moved::How::branched ? " as a branch" : ""));
    if (moved.replaced)
      parts.push_back(std::string("the damaged copy in ") + home +
                      " was completed; the old file is in its quarantine/ folder");
  };
  add(synced.there, "went", "the other home");
  add(synced.here, "came", "this home");
  return listed(parts);
}

namespace postgres = store::postgres;

}  // namespace

int push_sessions(const Invocation& invocation) {
  const std::string home = other_home(invocation, "--to");
  const auto from = app::open_backend(app::home_given(invocation)), to = app::open_backend(home);
  return move_all(invocation, *from, *to);
}

int pull_sessions(const Invocation& invocation) {
  const std::string home = other_home(invocation, "--from");
  const auto from = app::open_backend(home), to = app::open_backend(app::home_given(invocation));
  return move_all(invocation, *from, *to);
}

int sync_homes(const Invocation& invocation) {
  const std::string& home = invocation.arguments.at(0);
  if (app::is_in_home(invocation, home))
    throw UsageError(home + " is this home, or a folder in it");
  if (is_elsewhere(home))
    throw UsageError("skein does not connect to other machines: mount " + home +
                     " (sshfs), copy the folder, or use a home in a database");
  const auto here = app::open_backend(app::home_given(invocation)), there = app::open_backend(home);
  const Common common = sessions_of(*here, *there);
  std::uint64_t bytes = 0;
  for (const auto& [id, record] : common.sessions) bytes += record.bytes;
  Progress progress("comparing", bytes, Progress::Unit::bytes);
  ListPrinter rows(invocation);
  std::size_t changed = 0;
  int status = 0;
  for (const auto& [id, record] : common.sessions) {
    // Both directions count as one step of the progress.
    progress.step(record.bytes);
    const store::Result<Synced> synced = store::transfer::sync_session(*here, *there, id);
    here->close(id);
    there->close(id);
    const std::string what = synced ? summary(*synced) : synced.error().text;
    if (what.empty()) continue;
    if (!invocation.has("--json")) progress.end();
    Json row = {{"key", record.key}, {"id", to_string(id)}, {synced ? "done" : "error", what}};
    if (synced) {
      ++changed;
      row["went"] = synced->there.entries;
      row["came"] = synced->here.entries;
      if (synced->here.replaced || synced->there.replaced) row["completed"] = true;
      rows.add(dump(row), record.key + "  " + what);
    } else {
      status = std::max(status, static_cast<int>(exit_status_of(synced.error())));
      rows.add_failure(dump(row), record.key + "  " + what);
    }
  }
  progress.end();
  rows.end();
  if (invocation.has("--json")) return status;
  print_line(counted(common.sessions.size(), "session") + " compared, " +
             (changed == 0 ? "nothing new" : std::to_string(changed) + " changed") +
             (common.thrown_away == 0 ? ""
                                      : "; " + std::to_string(common.thrown_away) +
                                            " not synced, because they are in a trash"));
  return status;
}

void explain_admin(const Invocation&) {
  throw UsageError("usage: `skein admin init-db --home postgresql://USER@HOST/DATABASE`");
}

int init_database(const Invocation& invocation) {
  if (!app::home_in_database(invocation))
    throw UsageError("name the database: --home postgresql://USER@HOST/DATABASE");
  const std::string shown = app::home_shown(invocation);
  if (!invocation.has("--yes")) {
    if (isatty(STDIN_FILENO) == 0) throw UsageError("there is no terminal to ask; use --yes");
    if (!agreed("Create or upgrade the schema skein in " + shown +
                "? Every user of the database can then store sessions there."))
      return failed_status;
  }
  const postgres::Prepared prepared = value_or_throw(postgres::prepare_database(invocation.home));
  const bool now = prepared == postgres::Prepared::now,
             upgraded = prepared == postgres::Prepared::upgraded;
  print_answer(invocation, dump({{"home", shown}, {"made", now}, {"upgraded", upgraded}}),
               shown + (now        ? " is ready for sessions"
                        : upgraded ? " was upgraded; older versions of skein can no longer use it"
                                   : " was already up to date; nothing was changed"));
  return 0;
}

}  // namespace skein::verbs
