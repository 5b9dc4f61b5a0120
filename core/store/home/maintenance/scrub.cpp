#include "core/store/home/maintenance/scrub.h"

#include <set>

#include "core/store/files/named_files.h"
#include "core/store/home/archive.h"
#include "core/store/home/gzip.h"

namespace skein::store::home::maintenance {

namespace {

constexpr const char* filtered_folders[] = {"quarantine", "drafts",      "memory",
                                            "trash",      "transcripts", ""};
// In these, whoever writes a temporary file holds the lock of the index, or can do without it.
constexpr const char* locked_folders[] = {"quarantine", "trash", "transcripts", ""};

// What was done so far is of no use to one who must know where the text may still stand.
Failure not_done(const std::vector<std::string>& unreached) {
  std::string places;
  for (const std::string& each : unreached) places += (places.empty() ? "" : "; ") + each;
  return {Failure::Kind::io,
          "it may still stand in " + places +
              ". The entry was left in its own session, so that this can be done "
              "again once that is solved"};
}

void scrub_session(Home& home, const IndexChange& change, Id session, FileScrubber& scrubber) {
  const Result<files::OpenFile> locked = home.lock(change, session);
  const std::string place = transcript_place(home.files(), session).path;
  if (!locked) return scrubber.unreached(place, locked.error());
  const IndexEntry* known = home.index().find(session);
  scrubber.transcript(session, place, known != nullptr ? known->key : to_string(session));
  home.forget(session);
}

// What the index remembers of sessions that are lost.
void scrub_lost(Index& index, const model::Scrubbing& what) {
  const auto tells = [&](const std::string& text) {
    return model::gives_away(text, what) || text == what.title;
  };
  for (auto& [lost, known] : index.lost) {
    SessionState& state = known.memory.state;
    if (tells(state.title)) state.title.clear();
    if (tells(state.system)) state.system.clear();
    std::erase_if(state.labels, [&](const auto& each) { return tells(each.second); });
    std::erase_if(state.snapshots, [&](const auto& each) { return tells(each.first); });
  }
}

}  // namespace

// The session it was asked for comes last, so that whoever is stopped in the middle still knows
// what to look for.
Result<Scrubbed> scrub(Home& home, Id session, Id entry, const ScrubWish& wish) {
  files::Files& files = home.files();
  Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  const Result<Transcript*> transcript = home.transcript(session);
  if (!transcript) return transcript.error();
  log::LogReader& log = *(*transcript)->log;
  const auto target = log.locate(entry).and_then([&](Position at) { return log.at(at); });
  if (!target) return target.error();
  model::Scrubbing what = model::scrubbing_of(target->entry, wish.named);

  Scrubbed report;
  FileScrubber scrubber(files, what, report);
  // What an archiving left behind is a file more that holds it.
  std::set<std::string> spared{"sessions.json", "last",      "index.lock",
                               "work.lock",     "open.lock", "unsettled"};
  std::vector<Id> sessions;
  Result<Index*> index = change->settle();
  if (!index) return index.error();
  for (const auto& [each, known] : (*index)->sessions) sessions.push_back(each);
  if (const auto& hidden = home.index().unreadable()) scrubber.unreached("transcripts", *hidden);
  for (const Id each : sessions) {
    spared.insert({log::transcript_path(each), archive_path(each)});
    if (const auto settled = settle_pair(home, *change, each); !settled)
      scrubber.unreached(archive_path(each), settled.error());
  }
  for (const Entry& copy : copies_of(files, "quarantine", entry)) model::widen(what, copy);
  for (const Id each : sessions)
    if (each != session) scrub_session(home, *change, each, scrubber);
  for (const char* folder : locked_folders) scrubber.leftovers(folder);
  const auto trashed = files::list(files, "trash");
  if (!trashed) scrubber.unreached("trash", trashed.error());
  for (const std::string& name : trashed ? *trashed : std::vector<std::string>{}) {
    const std::optional<Id> id = session_of_trashed(name);
    if (!id) continue;
    scrubber.transcript(*id, "trash/" + name, "trash/" + name);
    spared.insert("trash/" + name);
  }
  for (const char* folder : filtered_folders) scrubber.folder(folder, spared);
  scrubber.blobs();
  for (const char* folder : filtered_folders) scrubber.sync(folder);
  scrubber.sync("blobs");
  if (wish.elsewhere) wish.elsewhere(what, report);
  if (report.unreached.empty()) scrub_session(home, *change, session, scrubber);
  if (report.unreached.empty()) scrubber.sync("transcripts");
  if (!report.unreached.empty()) return not_done(report.unreached);

  index = change->settle();
  if (!index) return index.error();
  scrub_lost(**index, what);
  Result<void> saved = change->save_moved();
  if (saved) saved = home.index().rewrite_last();
  if (!saved) return not_done({saved.error().text});
  return report;
}

}  // namespace skein::store::home::maintenance
