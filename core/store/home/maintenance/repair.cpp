#include "core/store/home/maintenance/repair.h"

#include "core/store/files/named_files.h"
#include "core/store/log/new_transcript.h"
#include "core/text/log.h"

namespace skein::store::home::maintenance {

namespace {

Result<std::string> rebuild(files::Files& files, log::LogReader& log, const SessionHeader& header) {
  const std::string doing = "rebuilding " + described(header.session);
  const std::string aside =
      "quarantine/" + to_string(header.session) + "." + std::to_string(now_ms()) + ".jsonl";
  log::NewTranscript rebuilt(files, header, doing);
  Result<void> done = log.each_line([&](const log::ScannedLine& found) {
    if (found.facts().type != type::session_header) rebuilt.add(found);
    return true;
  });
  if (done) done = rebuilt.finish();
  // Both names of the old file before the new one gets its: at no moment is a byte without a name.
  if (done) done = files::link(files, log::transcript_path(header.session), aside, doing);
  if (done) done = files::sync_folder(files, "quarantine", doing);
  if (done) done = rebuilt.rename_into_place();
  if (!done) return done.error();
  return aside;
}

}  // namespace

Result<std::string> repair(Home& home, Id session) {
  Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  const Result<files::OpenFile> locked = home.lock(*change, session);
  if (!locked) return locked.error();
  const Result<Transcript*> found = home.transcript(session);
  if (!found) return found.error();
  const Transcript& transcript = **found;
  const Result<Damage> examined = transcript.log->examine();
  if (!examined) return examined.error();
  if (!examined->header_damaged) return std::string{};
  if (transcript.archived())
    return Failure{Failure::Kind::read_only,
                   described(session) + " is archived; unarchive it before it is repaired"};

  // What the damaged line still says, else what the index remembers.
  SessionHeader header = transcript.log->header();
  if (const IndexEntry* known = home.index().find(session); known != nullptr && header.key.empty())
    header = known->memory.header;
  if (header.version > format_version)
    return Failure{Failure::Kind::unsupported_version,
                   described(session) + " was written by a newer skein; it was left as it is"};
  header.session = session;
  if (header.key.empty()) header.key = "main:recovered:" + to_string(session);
  Result<std::string> rebuilt = rebuild(home.files(), *transcript.log, header);
  if (!rebuilt) return rebuilt;
  log_warning("repair", {{"session", to_string(session)}, {"kept_as", *rebuilt}});
  home.forget(session);
  if (const auto done = change->finish(); !done) return done.error();
  return rebuilt;
}

}  // namespace skein::store::home::maintenance
