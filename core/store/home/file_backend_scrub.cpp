// The one operation that rewrites: a text is taken out of every file of the home. The session it
// was asked for comes last, so that whoever is stopped in the middle still knows what to look for.
#include <algorithm>
#include <cerrno>
#include <set>

#include "core/store/home/file_backend.h"
#include "core/store/home/gzip.h"
#include "core/store/home/scrub_files.h"

namespace skein::store::home {

namespace {

constexpr const char* filtered_folders[] = {"quarantine", "drafts", "trash", "transcripts", ""};
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

}  // namespace

void FileBackend::scrub_session(const IndexChange& change, Id session, FileScrubber& scrubber) {
  const Result<files::OpenFile> locked = locked_transcript(change, session);
  const std::string place = transcript_place(*files_, session).path;
  if (!locked) return scrubber.unreached(place, locked.error().text);
  const IndexEntry* known = index_.find(session);
  scrubber.transcript(session, place, known != nullptr ? known->key : to_string(session));
  open_.erase(session);
}

Result<Scrubbed> FileBackend::scrub(Id session, Id entry, const ScrubWish& wish) {
  Result<IndexChange> change = index_.change();
  if (!change) return change.error();
  const Result<model::Position> at = locate(session, entry);
  if (!at) return at.error();
  const Result<StoredEntry> target = load_at(session, *at);
  if (!target) return target.error();
  model::Scrubbing what = model::scrubbing_of(target->entry, wish.named);

  Scrubbed report;
  FileScrubber scrubber(*files_, what, report);
  // What an archiving left behind is a file more that holds it.
  std::set<std::string> spared{"sessions.json", "last", "index.lock", "work.lock"};
  std::vector<Id> sessions;
  Result<Index*> index = change->settle();
  if (!index) return index.error();
  for (const auto& [each, known] : (*index)->sessions) sessions.push_back(each);
  if (index_.unreadable()) scrubber.unreached("transcripts", index_.unreadable()->text);
  for (const Id each : sessions) {
    spared.insert({log::transcript_path(each), archive_path(each)});
    if (const auto settled = settle_pair(*change, each); !settled)
      scrubber.unreached(archive_path(each), settled.error().text);
  }
  for (const model::Entry& copy : copies_of(*files_, "quarantine", entry)) model::widen(what, copy);
  for (const Id each : sessions)
    if (each != session) scrub_session(*change, each, scrubber);
  for (const char* folder : locked_folders) scrubber.leftovers(folder);
  std::vector<std::string> trashed;
  if (const int listed = files_->list("trash", trashed); listed < 0)
    scrubber.unreached("trash", listed);
  std::ranges::sort(trashed);
  for (const std::string& name : trashed) {
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
  if (report.unreached.empty()) scrub_session(*change, session, scrubber);
  if (report.unreached.empty()) scrubber.sync("transcripts");
  if (!report.unreached.empty()) return not_done(report.unreached);

  index = change->settle();
  if (!index) return index.error();
  for (auto& [lost, known] : (*index)->lost) {
    model::SessionState& state = known.memory.state;
    const auto tells = [&](const std::string& text) {
      return model::gives_away(text, what) || text == what.title;
    };
    if (tells(state.title)) state.title.clear();
    if (tells(state.system)) state.system.clear();
    std::erase_if(state.labels, [&](const auto& each) { return tells(each.second); });
    std::erase_if(state.snapshots, [&](const auto& each) { return tells(each.first); });
  }
  Result<void> saved = change->save_moved();
  if (saved) saved = index_.rewrite_last();
  if (!saved) return not_done({saved.error().text});
  return report;
}

}  // namespace skein::store::home
