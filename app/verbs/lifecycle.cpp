// skein sessions archive, unarchive, pin, ttl, empty-trash, prune, prune-blobs, and redact: what
// happens to a session as a whole, and what is taken out of sight.

#include "app/setup/home.h"
#include "app/setup/load_config.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/jobs/record.h"
#include "core/model/entry.h"
#include "core/store/children.h"
#include "core/store/expiry.h"
#include "core/store/files/files.h"
#include "core/store/home/blobs.h"
#include "core/store/home/file_backend.h"
#include "core/store/home/maintenance/scrub.h"
#include "core/store/postgres/database_backend.h"
#include "core/store/session_store.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/screen/screen.h"

namespace skein::verbs {

using store::Expired, store::Expiring, store::SessionRecord, store::SessionStore;
using store::value_or_throw;

namespace maintenance = store::home::maintenance;

namespace {

std::int64_t age_ms(const Invocation& invocation) {
  const std::string text = invocation.value("--older-than");
  if (const auto age = duration_ms(text)) return *age;
  throw UsageError("'" + text + "' is not a duration; write 12h, 30d or 8w");
}

void set_archived(const Invocation& invocation, bool archived) {
  SessionStore store = app::open_store(invocation);
  const SessionRecord found = value_or_throw(store.find(invocation.arguments.at(0)));
  const Id session = found.header.session;
  value_or_throw(archived ? store::archive_family(store, session)
                          : store::unarchive_family(store, session));
  const SessionRecord record = store.open(session);
  print_answer(invocation,
               dump({{"key", record.key},
                     {"id", to_string(session)},
                     {"archived", record.archived},
                     {"bytes", record.bytes}}),
               (archived ? "archived " : "unarchived ") + record.key + ": " +
                   std::to_string(found.bytes) + " bytes → " + std::to_string(record.bytes));
}

// The input history and the logs lie outside the home; the configuration is the user's own.
void scrub_elsewhere(const std::string& home, const model::Scrubbing& what,
                     maintenance::Scrubbed& report) {
  namespace fs = std::filesystem;
  const std::pair<std::string, bool> folders[] = {{app::state_folder(), true},
                                                  {app::config_folder(), false}};
  for (const auto& [folder, ours] : folders) {
    if (folder.empty()) continue;
    const auto files = store::files::files_beneath(folder);
    if (!files) {
      if (files.error().kind != store::Failure::Kind::gone)
        report.unreached.push_back(files.error().text);
      continue;
    }
    // A home in there has been scrubbed already.
    std::error_code unknown;
    const fs::path there = fs::canonical(folder, unknown);
    const fs::path own = unknown ? fs::path{} : fs::canonical(home, unknown);
    if (unknown) report.unreached.push_back(folder + ": " + unknown.message());
    if (unknown || there == own) continue;
    const std::set<std::string> spared{own.lexically_relative(there).string()};
    maintenance::FileScrubber scrubber(**files, what, report, folder + "/");
    if (ours)
      scrubber.folder("", spared, true);
    else
      scrubber.look("", spared);
  }
}

void print_repeats(const std::vector<std::string>& entries, bool scrubs) {
  if (entries.empty()) return;
  print_line("  not changed, but contain part of the same text: " + listed(entries, 10) +
             (scrubs ? " (--text TEXT removes a text everywhere)"
                     : " (the model still sees them; `skein redact` masks each)"));
}

// What the jobs of sessions that are gone have printed goes too, except where one was kept and
// still runs. Says so.
std::string remove_jobs_of(SessionStore& store, const std::vector<store::TrashedSession>& thrown) {
  const std::string state = app::state_folder();
  if (state.empty()) return {};
  std::size_t busy = 0;
  for (const store::TrashedSession& each : thrown)
    if (!store.sessions().open(each.session) &&  // it was not restored in between
        !jobs::remove_records(state + "/jobs/" + to_string(each.session)))
      ++busy;
  if (busy == 0) return {};
  return "; " + counted(busy, "of them has a job", "of them have jobs") +
         " that is still running; its output stays in " + state + "/jobs";
}

JsonText redacted_json(const std::string& key, Id entry, const maintenance::Scrubbed& scrubbed,
                       bool scrubs) {
  std::vector<std::string> summaries;
  for (const Id id : scrubbed.summaries) summaries.push_back(to_string(id));
  return dump({{"key", key},
               {"redacted", to_string(entry)},
               {"scrubbed", scrubs},
               {"changed", scrubbed.changed},
               {"left", scrubbed.left},
               {"repeats", scrubbed.repeats},
               {"summaries", summaries}});
}

void print_redacted(Id entry, const maintenance::Scrubbed& scrubbed, bool scrubs,
                    bool in_database) {
  print_line("entry " + to_string(entry) + " is now masked" +
             (scrubs        ? "; its text was deleted from:"
              : in_database ? "; its text is still in the database (--scrub deletes it)"
                            : "; its text is still in the transcript file (--scrub deletes it)"));
  for (const std::string& each : scrubbed.changed) print_line("  " + each);
  if (scrubs && scrubbed.changed.empty()) print_line("  nothing: the text was not found");
  for (const Id id : scrubbed.summaries)
    print_line("  summary " + to_string(id) +
               " came later and may repeat the text in other words; read it and redact it if so");
  print_repeats(scrubbed.repeats, scrubs);
  for (const std::string& each : scrubbed.left) print_line("  " + each);
}

void set_pinned(const Invocation& invocation, bool pinned) {
  auto [store, record, session] = open_session(invocation);
  if (record.state.pinned != pinned) {
    value_or_throw(store.mark(session, model::payload::Pin{pinned}));
    store.presence().remember(session, "");
  }
  print_answer(invocation, dump({{"key", record.key}, {"pinned", pinned}}),
               record.key + (pinned ? " is pinned: it is never archived or deleted automatically"
                                    : " is no longer pinned"));
}

void print_snapshots(const Invocation& invocation, SessionStore& store,
                     const SessionRecord& record) {
  ListPrinter all(invocation);
  for (const auto& [name, entry] : record.state.snapshots) {
    const auto found = store.load_entry(record.header.session, entry);
    const std::string preview =
        found ? model::preview(model::masked(*found, record.state.redacted), 60) : "";
    all.add(dump({{"name", name}, {"entryId", to_string(entry)}, {"preview", preview}}),
            name + "  " + to_string(entry) + "  " + preview);
  }
  all.end(record.key + " has no snapshots; /snapshot takes one");
}

void archive_unused(const Invocation& invocation) {
  if (!invocation.arguments.empty())
    throw UsageError("--older-than selects sessions by age; do not name one");
  const std::int64_t age = age_ms(invocation);
  SessionStore store = app::open_store(invocation);
  std::vector<SessionRecord> sessions = store.list();
  // The time that was set for a single session does not count here.
  for (SessionRecord& record : sessions) record.state.ttl.clear();
  const bool only_look = invocation.has("--dry-run");
  ListPrinter archived(invocation);
  for (const Expiring& each : store::expiring(sessions, {.archive_after_ms = age}, now_ms())) {
    if (!only_look && value_or_throw(store::expire(store, each)) != Expired::done) continue;
    archived.add(json_string(each.record.key), (only_look ? "would archive " : "archived ") +
                                                   each.record.key + ", last used " +
                                                   each.record.used_at());
  }
  archived.end("no session has been unused for that long; pinned and labelled ones do not count",
               only_look ? "would_archive" : "archived");
}

}  // namespace

void archive_session(const Invocation& invocation) {
  if (invocation.has("--older-than")) return archive_unused(invocation);
  if (invocation.arguments.empty() || invocation.has("--dry-run"))
    throw UsageError("name a session, or give its age: --older-than 30d");
  return set_archived(invocation, true);
}
void unarchive_session(const Invocation& invocation) { set_archived(invocation, false); }

void empty_trash(const Invocation& invocation) {
  SessionStore store = app::open_store(invocation);
  const std::vector<store::TrashedSession> thrown = value_or_throw(store.life_cycle().trash());
  const store::EmptiedTrash emptied = value_or_throw(store.life_cycle().empty_trash());
  const std::string kept = remove_jobs_of(store, thrown);
  print_answer(invocation, dump({{"sessions", emptied.sessions}, {"bytes", emptied.bytes}}),
               "removed " + counted(emptied.sessions, "session") + ", " +
                   std::to_string(emptied.bytes) + " bytes, permanently" + kept);
}

void prune_sessions(const Invocation& invocation) {
  if (!invocation.has("--older-than")) throw UsageError("give the age: --older-than 30d");
  const std::int64_t age = age_ms(invocation);
  SessionStore store = app::open_store(invocation);
  const bool only_look = invocation.has("--dry-run");
  ListPrinter moved(invocation);
  for (const SessionRecord& record : store::unused_for(store, age)) {
    if (record.state.pinned || store::is_child(record)) continue;  // a child goes with its parent
    // It may have been used since the list was made.
    const Id session = record.header.session;
    if (store.open(session).state.updated_at != record.state.updated_at) continue;
    if (!only_look) value_or_throw(store::erase_family(store, session));
    moved.add(dump({{"key", record.key}, {"id", to_string(session)}}),
              (only_look ? "would move " : "moved ") + record.key + " to the trash, last used " +
                  record.used_at());
  }
  moved.end("no session has been unused for that long", only_look ? "would_move" : "moved");
}

void prune_blobs(const Invocation& invocation) {
  const bool only_look = invocation.has("--dry-run");
  const bool elsewhere = app::home_in_database(invocation);
  const store::home::PrunedBlobs pruned =
      value_or_throw(elsewhere ? store::home::prune_contents(
                                     *app::open_folder(app::home_folder(invocation)),
                                     *app::open_backend(app::home_given(invocation)), only_look)
                               : store::home::prune_blobs(*app::open_home(invocation), only_look));
  if (elsewhere) tell_user("deletes only file backups on this machine; blobs in the database stay");
  print_answer(
      invocation,
      dump({{only_look ? "would_remove" : "removed", pruned.names}, {"bytes", pruned.bytes}}),
      (only_look ? "would remove " : "removed ") + std::to_string(pruned.names.size()) +
          " blobs, " + std::to_string(pruned.bytes) + " bytes");
}

int redact_entry(const Invocation& invocation) {
  const bool scrubs = invocation.has("--scrub");
  const bool in_database = app::home_in_database(invocation);
  // Only a scrubbing needs the files themselves.
  const auto home = scrubs && !in_database ? app::open_home(invocation) : nullptr;
  SessionStore store = home ? SessionStore(std::make_unique<store::home::FileBackend>(home))
                            : app::open_store(invocation);
  const SessionRecord found = value_or_throw(store.find(invocation.arguments.at(0)));
  const Id session = found.header.session;
  const Id entry = value_or_throw(store.find_entry(session, invocation.arguments.at(1)));
  if (invocation.has("--text") && !scrubs) throw UsageError("--text needs --scrub");
  maintenance::Scrubbed scrubbed;
  maintenance::ScrubWish wish;
  wish.elsewhere = [folder = app::home_folder(invocation)](const model::Scrubbing& what,
                                                           maintenance::Scrubbed& report) {
    scrub_elsewhere(folder, what, report);
  };
  if (invocation.has("--text")) wish.named.push_back(invocation.value("--text"));
  for (const std::string& text : wish.named)
    if (text.size() < 4) throw UsageError("--text must have at least 4 characters");
  const model::Entry target = value_or_throw(store.load_entry(session, entry));
  if (!scrubs || !store.open(session).state.redacted.contains(entry))
    value_or_throw(
        store.mark(session, model::payload::Redaction{entry, invocation.value("--reason")}));
  if (!scrubs)
    for (const Id id : value_or_throw(store::entries_repeating(store, session, target)))
      scrubbed.repeats.push_back(to_string(id));
  if (home) scrubbed = value_or_throw(maintenance::scrub(*home, session, entry, wish));
  if (scrubs && in_database)
    scrubbed = value_or_throw(
        store::postgres::DatabaseBackend(invocation.home).scrub(session, entry, wish));
  store.presence().remember(session, "");
  if (invocation.has("--json"))
    print_json(redacted_json(found.key, entry, scrubbed, scrubs));
  else
    print_redacted(entry, scrubbed, scrubs, in_database);
  return scrubbed.left.empty() ? 0 : static_cast<int>(ExitStatus::storage);
}

void pin_session(const Invocation& invocation) { set_pinned(invocation, true); }
void unpin_session(const Invocation& invocation) { set_pinned(invocation, false); }

void set_session_ttl(const Invocation& invocation) {
  const std::string& given = invocation.arguments.at(1);
  const std::string age = given == "none" ? "" : given;
  if (!age.empty() && !duration_ms(age))
    throw UsageError("'" + given + "' is not a duration; write 12h, 30d, 8w or none");
  auto [store, record, session] = open_session(invocation);
  value_or_throw(store.mark(session, model::payload::Ttl{age}));
  store.presence().remember(session, "");
  print_answer(invocation, dump({{"key", record.key}, {"ttl", age.empty() ? Json() : Json(age)}}),
               record.key + (age.empty() ? " uses the general expiry times again"
                                         : " goes to the trash when it is unused for " + age +
                                               "; skein announces it first"));
}

void list_trash(const Invocation& invocation) {
  SessionStore store = app::open_store(invocation);
  const std::vector<store::TrashedSession> all = value_or_throw(store.life_cycle().trash());
  ListPrinter out(invocation);
  std::size_t width = 0;
  for (const store::TrashedSession& each : all) width = std::max(width, each.key.size());
  for (const store::TrashedSession& each : all) {
    const std::string id = to_string(each.session), deleted = utc_from_ms(each.thrown_away_ms);
    out.add(dump({{"key", each.key},
                  {"id", id},
                  {"title", each.title},
                  {"message_count", each.messages},
                  {"updated_at", each.used_at},
                  {"deleted_at", deleted},
                  {"bytes", each.bytes}}),
            pad(each.key, width) + "  " + id.substr(0, 8) + "  deleted " + deleted.substr(0, 16) +
                "  " + counted(static_cast<std::size_t>(each.messages), "message") + "  " +
                each.title);
  }
  out.end("the trash is empty");
}

void session_snapshots(const Invocation& invocation) {
  auto [store, record, session] = open_session(invocation);
  if (invocation.arguments.size() == 1) return print_snapshots(invocation, store, record);
  if (invocation.arguments[1] != "delete" || invocation.arguments.size() != 3)
    throw UsageError("usage: `skein snapshots KEY` or `skein snapshots KEY delete NAME`");
  const std::string& name = invocation.arguments[2];
  value_or_throw(store.mark(session, model::payload::Snapshot{name, std::nullopt}));
  store.presence().remember(session, "");
  print_answer(invocation, dump({{"key", record.key}, {"deleted", name}}),
               "snapshot " + name + " was deleted; its entries remain");
}

}  // namespace skein::verbs
