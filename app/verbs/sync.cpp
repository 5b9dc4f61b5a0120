// skein sync: this home and another, brought to the same sessions without a server between them.
// Drafts, histories, trust and keys stay where they are.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/home.h"
#include "app/verbs/output.h"
#include "app/verbs/progress.h"
#include "app/verbs/subcommands.h"
#include "core/store/transfer/transfer.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::verbs {

using store::SessionRecord;
using store::StorageBackend;
using store::value_or_throw;
using store::transfer::Moved;
using store::transfer::Synced;

namespace {

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

std::string told(const Synced& synced) {
  std::vector<std::string> parts;
  const auto add = [&](const Moved& moved, const char* verb, const char* home) {
    if (moved.how != Moved::How::unchanged)
      parts.push_back(counted(moved.entries, "entry", "entries") + " " + verb +
                      (moved.how == Moved::How::branched ? " as a branch" : ""));
    if (moved.replaced)
      parts.push_back(std::string("the damaged copy in ") + home +
                      " was completed; its old file is in quarantine/ there");
  };
  add(synced.there, "went", "the other home");
  add(synced.here, "came", "this home");
  return listed(parts);
}

}  // namespace

int sync_homes(const app::Invocation& invocation) {
  const std::string& home = invocation.arguments.at(0);
  if (app::is_in_home(invocation, home))
    throw Error(home + " is this home, or lies in it", ExitStatus::usage);
  if (is_elsewhere(home))
    throw Error("skein does not go to other machines by itself: mount " + home +
                    " (sshfs), carry the folder over, or keep the home in a database",
                ExitStatus::usage);
  const auto here = app::open_backend(app::home_given(invocation)), there = app::open_backend(home);
  const Common common = sessions_of(*here, *there);
  std::uint64_t bytes = 0;
  for (const auto& [id, record] : common.sessions) bytes += record.bytes;
  Progress progress("comparing", bytes, Progress::Unit::bytes);
  Json rows = Json::array();
  std::size_t changed = 0;
  int status = 0;
  for (const auto& [id, record] : common.sessions) {
    // Both directions count as one step of the progress.
    progress.step(record.bytes);
    const store::Result<Synced> synced = store::transfer::sync_session(*here, *there, id);
    here->close(id);
    there->close(id);
    if (!synced) status = std::max(status, static_cast<int>(exit_status_of(synced.error())));
    const std::string what = synced ? told(*synced) : synced.error().text;
    if (what.empty()) continue;
    if (synced) ++changed;
    rows.push_back({{"key", record.key}, {"id", to_string(id)}});
    rows.back()[synced ? "done" : "error"] = what;
    if (synced) rows.back()["went"] = synced->there.entries;
    if (synced) rows.back()["came"] = synced->here.entries;
    if (synced && (synced->here.replaced || synced->there.replaced))
      rows.back()["completed"] = true;
    if (invocation.has("--json")) continue;
    progress.end();
    synced ? print_line(record.key + "  " + what) : tell_user(record.key + "  " + what);
  }
  progress.end();
  if (invocation.has("--json")) {
    print_json(dump(rows));
    return status;
  }
  print_line(counted(common.sessions.size(), "session") + " compared, " +
             (changed == 0 ? "nothing new" : std::to_string(changed) + " changed") +
             (common.thrown_away == 0 ? ""
                                      : "; " + std::to_string(common.thrown_away) +
                                            " stay away, since they are in a trash"));
  return status;
}

}  // namespace skein::verbs
