#include "core/store/home/home.h"

namespace skein::store::home {

Home::Home(std::unique_ptr<files::Files> files, HomeIndex::Tell tell)
    : files_(std::move(files)), index_(*files_, std::move(tell)) {
  for (const std::string folder : {"transcripts", "quarantine", "trash"}) {
    // On a read-only disk what is there can still be read.
    const Result<void> made = files::make_folder(*files_, folder);
    const Result<files::FileStat> there =
        files::stat(*files_, folder, "the home's folder " + folder);
    if (!made && !there) value_or_throw(made);
    if (value_or_throw(there).kind != files::FileStat::Kind::folder)
      throw Error("the home's folder " + folder + ": it is not a folder", ExitStatus::storage);
  }
}

Result<Transcript*> Home::transcript(Id session) {
  if (const auto open = open_.find(session); open != open_.end()) {
    const Result<void> refreshed = open->second.refresh(*files_);
    if (refreshed) {
      open->second.last_use = ++opened_;
      return &open->second;
    }
    open_.erase(open);
    if (refreshed.error().kind != Failure::Kind::gone) return refreshed.error();
  }
  const IndexEntry* known = index_.find(session);
  for (int tries = 0;; ++tries) {
    const TranscriptPlace place = transcript_place(*files_, session);
    Result<Transcript> opened =
        open_transcript(*files_, session, place.path, known == nullptr ? nullptr : &known->memory);
    if (opened) {
      opened->beside_archive = !opened->archived() && files::exists(*files_, archive_path(session));
      return &keep(session, *std::move(opened));
    }
    // Found, and then not there: it was archived or unarchived in between.
    if (!place.stat || opened.error().kind != Failure::Kind::gone || tries > 2)
      return opened.error();
  }
}

Result<Transcript*> Home::seen_transcript(Id session) {
  const auto open = open_.find(session);
  return open != open_.end() ? &open->second : transcript(session);
}

Transcript& Home::keep(Id session, Transcript transcript) {
  Transcript& kept = open_[session] = std::move(transcript);
  kept.last_use = ++opened_;
  let_go_of_oldest();
  return kept;
}

// Every transcript that is open costs a descriptor, and an archived one its size in memory.
void Home::let_go_of_oldest() {
  constexpr std::size_t most_open = 16;
  if (open_.size() <= most_open) return;
  auto oldest = open_.end();
  for (auto each = open_.begin(); each != open_.end(); ++each)
    if (!used_.contains(each->first) && each->second.last_use != opened_ &&
        each->second.log->may_be_closed() &&
        (oldest == open_.end() || each->second.last_use < oldest->second.last_use))
      oldest = each;
  if (oldest != open_.end()) open_.erase(oldest);
}

SessionRecord Home::record_of(const Transcript& transcript) {
  IndexEntry entry{transcript.memory(), transcript.archived()};
  entry.key = effective_key(entry.memory);
  if (const IndexEntry* known = index_.find(entry.memory.header.session);
      known != nullptr && effective_key(known->memory) == entry.key)
    entry.key = known->key;
  return home::record_of(entry);
}

Result<files::OpenFile> Home::lock(const IndexChange&, Id session) {
  files::OpenFile file = TRY(files::open(*files_, transcript_place(*files_, session).path,
                                         files::OpenAs::appender, described(session)));
  TRY(file.lock());
  return file;
}

}  // namespace skein::store::home
