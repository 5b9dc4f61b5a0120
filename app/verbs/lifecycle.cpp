// skein sessions archive, unarchive, empty-trash, prune, prune-blobs, and redact: what happens to a
// session as a whole, and what is taken out of sight.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <set>

#include "app/home.h"
#include "app/load_config.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/jobs/record.h"
#include "core/store/children.h"
#include "core/store/files/files.h"
#include "core/store/home/blobs.h"
#include "core/store/home/file_backend.h"
#include "core/store/home/maintenance/scrub.h"
#include "core/store/postgres/database_backend.h"
#include "core/store/repeats.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/when.h"
#include "repl/screen/screen.h"

namespace skein::verbs {

using store::SessionRecord;
using store::SessionStore;
using store::value_or_throw;
namespace maintenance = store::home::maintenance;

namespace {

// What --older-than says.
std::int64_t age_ms(const std::string& text) {
  if (const auto age = duration_ms(text)) return *age;
  throw Error("'" + text + "' is no length of time; say 12h, 30d or 8w", ExitStatus::usage);
}

int set_archived(const app::Invocation& invocation, bool archived) {
  SessionStore store = app::open_store(invocation);
  const SessionRecord found = value_or_throw(store.find(invocation.arguments.at(0)));
  const Id session = found.header.session;
  value_or_throw(archived ? store::archive_family(store, session)
                          : store::unarchive_family(store, session));
  const SessionRecord record = value_or_throw(store.open(session));
  print_answer(invocation,
               dump({{"key", record.key},
                     {"id", to_string(session)},
                     {"archived", record.archived},
                     {"bytes", record.bytes}}),
               (archived ? "archived " : "unarchived ") + record.key + ": " +
                   std::to_string(found.bytes) + " bytes became " + std::to_string(record.bytes));
  return 0;
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
    // A home that lies there has been dealt with.
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
  constexpr std::size_t shown = 10;
  if (entries.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(entries.size(), shown); ++i)
    names += (names.empty() ? "" : ", ") + entries[i];
  if (entries.size() > shown) names += " and " + std::to_string(entries.size() - shown) + " more";
  print_line("  not changed, but contain part of the same text: " + names +
             (scrubs ? " (--text TEXT removes a text everywhere)"
                     : " (the model is still sent them; `skein redact` masks each)"));
}

// What the jobs of sessions that are gone have printed goes too, except where one was kept and
// still runs. Says so.
std::string remove_jobs_of(SessionStore& store, const std::vector<store::TrashedSession>& thrown) {
  const std::string state = app::state_folder();
  if (state.empty()) return {};
  std::size_t busy = 0;
  for (const store::TrashedSession& each : thrown)
    if (!store.open(each.session) &&  // nobody has brought it back meanwhile
        !jobs::remove_records(state + "/jobs/" + to_string(each.session)))
      ++busy;
  if (busy == 0) return {};
  return "; " + counted(busy, "of them has a job", "of them have jobs") +
         " that was kept and still runs, whose output stays in " + state + "/jobs";
}

}  // namespace

int archive_session(const app::Invocation& invocation) {
  if (invocation.has("--older-than")) return archive_unused(invocation);
  if (invocation.arguments.empty() || invocation.has("--dry-run"))
    throw Error("say which session, or how long unused: --older-than 30d", ExitStatus::usage);
  return set_archived(invocation, true);
}
int unarchive_session(const app::Invocation& invocation) { return set_archived(invocation, false); }

int empty_trash(const app::Invocation& invocation) {
  SessionStore store = app::open_store(invocation);
  const std::vector<store::TrashedSession> thrown = value_or_throw(store.trash());
  const store::EmptiedTrash emptied = value_or_throw(store.empty_trash());
  const std::string kept = remove_jobs_of(store, thrown);
  print_answer(invocation, dump({{"sessions", emptied.sessions}, {"bytes", emptied.bytes}}),
               "removed " + counted(emptied.sessions, "session") + ", " +
                   std::to_string(emptied.bytes) + " bytes, for good" + kept);
  return 0;
}

int prune_sessions(const app::Invocation& invocation) {
  if (!invocation.has("--older-than"))
    throw Error("say how old a session must be: --older-than 30d", ExitStatus::usage);
  const std::int64_t age = age_ms(invocation.value("--older-than"));
  const bool only_look = invocation.has("--dry-run");
  SessionStore store = app::open_store(invocation);
  Json moved = Json::array();
  for (const SessionRecord& record : store.unused_for(age)) {
    if (record.state.pinned || store::is_child(record)) continue;  // a child goes with its parent
    // Somebody may have come back to it since the list was made.
    const Id session = record.header.session;
    if (value_or_throw(store.open(session)).state.updated_at != record.state.updated_at) continue;
    if (!only_look) value_or_throw(store::erase_family(store, session));
    moved.push_back({{"key", record.key}, {"id", to_string(session)}});
    if (!invocation.has("--json"))
      print_line((only_look ? "would move " : "moved ") + record.key + " to the trash, last used " +
                 record.used_at());
  }
  if (invocation.has("--json"))
    print_json(dump({{only_look ? "would_move" : "moved", moved}}));
  else if (moved.empty())
    print_line("no session is that old");
  return 0;
}

int prune_blobs(const app::Invocation& invocation) {
  const bool only_look = invocation.has("--dry-run");
  catalog::Catalog catalog;
  const config::Config config = app::load_config(invocation, "", catalog);
  const auto newest = static_cast<std::size_t>(config.keep_checkpoints);
  const bool elsewhere = app::home_in_database(invocation);
  const store::home::PrunedBlobs pruned = value_or_throw(
      elsewhere ? store::home::prune_contents(*app::open_folder(app::home_folder(invocation)),
                                              *app::open_backend(app::home_given(invocation)),
                                              only_look, newest)
                : store::home::prune_blobs(*app::open_home(invocation), only_look, newest));
  if (elsewhere)
    tell_user("only what was kept of files on this machine; the database keeps its own");
  print_answer(
      invocation,
      dump({{only_look ? "would_remove" : "removed", pruned.names}, {"bytes", pruned.bytes}}),
      (only_look ? "would remove " : "removed ") + std::to_string(pruned.names.size()) +
          " blobs, " + std::to_string(pruned.bytes) + " bytes");
  return 0;
}

int redact_entry(const app::Invocation& invocation) {
  const bool scrubs = invocation.has("--scrub");
  const bool in_database = app::home_in_database(invocation);
  // Only a scrubbing needs the files themselves.
  const auto home = scrubs && !in_database ? app::open_home(invocation) : nullptr;
  SessionStore store = home ? SessionStore(std::make_unique<store::home::FileBackend>(home))
                            : app::open_store(invocation);
  const SessionRecord found = value_or_throw(store.find(invocation.arguments.at(0)));
  const Id session = found.header.session;
  const Id entry = value_or_throw(store.find_entry(session, invocation.arguments.at(1)));
  if (invocation.has("--text") && !scrubs)
    throw Error("--text names what --scrub takes out; give both", ExitStatus::usage);
  maintenance::Scrubbed scrubbed;
  maintenance::ScrubWish wish;
  wish.elsewhere = [folder = app::home_folder(invocation)](const model::Scrubbing& what,
                                                           maintenance::Scrubbed& report) {
    scrub_elsewhere(folder, what, report);
  };
  if (invocation.has("--text")) wish.named.push_back(invocation.value("--text"));
  for (const std::string& text : wish.named)
    if (text.size() < 4)
      throw Error("--text is too short to be meant everywhere", ExitStatus::usage);
  const model::Entry target = value_or_throw(store.load_entry(session, entry));
  if (!scrubs || !value_or_throw(store.open(session)).state.redacted.contains(entry))
    value_or_throw(store.redact(session, entry, invocation.value("--reason")));
  if (!scrubs)
    for (const Id id : value_or_throw(store::entries_repeating(store, session, target)))
      scrubbed.repeats.push_back(to_string(id));
  if (home) scrubbed = value_or_throw(maintenance::scrub(*home, session, entry, wish));
  if (scrubs && in_database)
    scrubbed = value_or_throw(
        store::postgres::DatabaseBackend(invocation.home).scrub(session, entry, wish));
  store.remember(session, "");

  const int status = scrubbed.left.empty() ? 0 : static_cast<int>(ExitStatus::storage);
  Json summaries = Json::array();
  for (const Id id : scrubbed.summaries) summaries.push_back(to_string(id));
  if (invocation.has("--json")) {
    print_json(dump({{"key", found.key},
                     {"redacted", to_string(entry)},
                     {"scrubbed", scrubs},
                     {"changed", scrubbed.changed},
                     {"left", scrubbed.left},
                     {"repeats", scrubbed.repeats},
                     {"summaries", summaries}}));
    return status;
  }
  print_line("entry " + to_string(entry) + " is masked from now on" +
             (scrubs        ? "; what it said was taken out of these places:"
              : in_database ? "; its text still stands in the database (--scrub takes it out)"
                            : "; its text still stands in the transcript's file (--scrub takes it "
                              "out)"));
  for (const std::string& each : scrubbed.changed) print_line("  " + each);
  if (scrubs && scrubbed.changed.empty()) print_line("  none: nothing was found to take out");
  for (const Json& id : summaries)
    print_line("  summary " + id.get<std::string>() +
               " came after it and may retell it in other words: read it, redact it if it does");
  print_repeats(scrubbed.repeats, scrubs);
  for (const std::string& each : scrubbed.left) print_line("  " + each);
  return status;
}

}  // namespace skein::verbs
