#include "core/store/home/maintenance/repair.h"

#include <algorithm>

#include "core/store/files/named_files.h"
#include "core/store/home/gzip.h"
#include "core/store/home/migration.h"
#include "core/store/home/presence.h"
#include "core/store/log/new_transcript.h"
#include "core/text/log.h"

namespace skein::store::home::maintenance {

namespace {

constexpr std::int64_t hour_ms = 60 * 60 * 1000;

// Empty: it is a session.
std::string what_is_wrong(files::Files& files, const std::string& name) {
  std::string why =
      name.ends_with(".tmp") ? "left behind by a process that died" : "not a name skein gives";
  if (const std::optional<Id> id = session_of_file(name)) {
    const Result<Transcript> opened = open_transcript(files, *id, "transcripts/" + name);
    if (opened) return {};
    why = opened.error().text;
  }
  const std::string form = older_form(files, name);
  if (form.empty()) return why;
  return "a session in an older form (" + form + "); `skein doctor --repair` migrates it";
}

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

Result<std::vector<Stray>> strays(Home& home) {
  std::vector<Stray> out;
  if (const auto names = files::list(home.files(), "transcripts"))
    for (const std::string& name : *names)
      if (std::string why = what_is_wrong(home.files(), name); !why.empty())
        out.push_back({name, std::move(why)});
  // What stood there once is worth more than what can be seen now.
  const Result<Index*> index = home.index().current();
  if (!index) return index.error();
  for (const auto& [session, entry] : (*index)->lost) {
    const std::string name = to_string(session) + ".jsonl";
    const auto there = std::ranges::find_if(
        out, [&](const Stray& each) { return each.name == name || each.name == name + ".gz"; });
    Stray& stray = there == out.end() ? out.emplace_back(Stray{.name = name}) : *there;
    stray.why = home.index().lost(entry.key)->text;
  }
  return out;
}

Result<std::vector<std::string>> remove_leftovers(Home& home) {
  files::Files& files = home.files();
  const Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  std::vector<std::string> out;
  for (const std::string folder : {"", "transcripts", "trash", "quarantine", "blobs", "drafts"}) {
    const auto names = files::list(files, folder);
    if (!names && names.error().missing) continue;
    if (!names) return names.error();
    for (const std::string& name : *names) {
      if (!name.ends_with(".tmp")) continue;
      const std::string path = folder.empty() ? name : folder + "/" + name;
      const auto stat = files::stat(files, path);
      if (!stat || stat->kind != files::FileStat::Kind::file ||
          now_ms() - stat->mtime_ns / 1'000'000 < hour_ms)
        continue;
      if (const auto removed = files::remove(files, path); !removed) return removed.error();
      out.push_back(path);
    }
  }
  for (const std::string& path : notes_of_the_dead(files)) {
    if (const auto removed = files::remove(files, path); !removed) return removed.error();
    out.push_back(path);
  }
  return out;
}

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

Result<std::size_t> rebuild_index(Home& home) {
  Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  home.index().forget_all();
  const Result<Index*> index = change->settle();
  if (!index) return index.error();
  if (const auto done = change->save(); !done) return done.error();
  log_warning("index rebuilt", {{"sessions", (*index)->sessions.size()}});
  return (*index)->sessions.size();
}

}  // namespace skein::store::home::maintenance
