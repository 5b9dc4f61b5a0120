#include "core/store/home/admit.h"

#include <algorithm>

#include "core/store/files/named_files.h"
#include "core/store/files/new_file.h"
#include "core/store/home/gzip.h"
#include "core/store/log/seal_chain.h"
#include "core/text/log.h"

namespace skein::store::home {

namespace {

// Why a session of this key cannot come in, or nothing.
std::optional<Failure> in_the_way(Home& home, const Index& index, Id session,
                                  const std::string& key) {
  const auto conflict = [](const std::string& text) {
    return Failure{Failure::Kind::conflict, text};
  };
  if (transcript_place(home.files(), session).stat)
    return conflict(described(session) + " is there already");
  if (std::ranges::any_of(index.sessions, [&](const auto& each) { return each.second.key == key; }))
    return conflict("another session there is called " + key);
  const auto lost = home.index().lost(key);
  if (lost && !index.lost.contains(session)) return lost;  // else this is what was lost
  return home.index().unreadable();
}

// The lines in a file that is not in place yet, if every seal fits, and what they amount to.
Result<log::LogMemory> receive(files::Files& files, files::NewFile& file, Id session,
                               const GiveLines& lines, const std::string& doing) {
  log::SealChain chain(session, 0);
  bool fits = true;
  const auto given = lines([&](std::string_view line) {
    fits = bool(chain.take(line));
    return fits && file.write(line) && file.write("\n");
  });
  if (!given) return given.error();
  if (!fits || !chain.at_border())
    return Failure{Failure::Kind::damaged, doing + ": its seals do not fit; nothing was written"};
  if (const auto done = file.finish(); !done) return done.error();
  log::LogReader reader(files, session, file.temporary());
  if (const auto done = reader.refresh(); !done) return done.error();
  if (const auto done = reader.writable(); !done) return done.error();
  return reader.memory();
}

// Whether what is there is what the caller has looked at, up to `end`; if nothing can be read, what
// an interrupted copy leaves: so little of the other file that its first line is not whole.
Result<void> replaceable(Home& home, Id session, const std::string& place, Position end,
                         const std::string& by) {
  home.forget(session);
  const Result<Transcript*> now = home.transcript(session);
  if (!now && now.error().kind != Failure::Kind::damaged) return now.error();
  if ((now ? (*now)->memory().end : 0) != end)
    return Failure{Failure::Kind::conflict, described(session) + " was written to; try again"};
  if (now || is_packed(place)) return {};
  const Result<std::string> part = files::read_whole(home.files(), place, log::max_line_bytes);
  const auto file = files::open(home.files(), by, files::OpenAs::reader, described(session));
  std::string there(part && file ? part->size() : 0, '\0');
  const auto got = file ? file->read(there.data(), there.size(), 0) : file.error();
  return part && got && there == *part ? Result<void>{} : now.error();
}

// `file` takes the place of a transcript, which gets a name in quarantine/ first: at no moment is a
// byte without a name.
Result<void> take_place(files::Files& files, files::NewFile& file, Id session,
                        const std::string& place, const std::string& doing) {
  const std::string aside = "quarantine/" + to_string(session) + "." + std::to_string(now_ms()) +
                            (is_packed(place) ? ".jsonl.gz" : ".jsonl");
  if (is_packed(place)) {
    if (const auto done = file.link_into_place(); !done) return done;
    return files::move_file(files, place, aside, doing);
  }
  Result<void> done = files::link(files, place, aside, doing);
  if (done) done = files::sync_folder(files, "quarantine", doing);
  return done ? file.rename_into_place() : done;
}

}  // namespace

Result<SessionRecord> admit_session(Home& home, Id session, const GiveLines& lines,
                                    TakenKey taken) {
  const std::string doing = "bringing in " + described(session);
  files::Files& files = home.files();
  files::NewFile file(files, log::transcript_path(session), doing);
  const Result<log::LogMemory> memory = receive(files, file, session, lines, doing);
  if (!memory) return memory.error();
  std::string key = effective_key(*memory);
  if (const auto trouble = key_problem(key)) return Failure{Failure::Kind::refused, *trouble};

  Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  const Result<Index*> index = change->settle();
  if (!index) return index.error();
  if (taken == TakenKey::numbered) key = free_key(**index, session, key);
  if (const auto trouble = in_the_way(home, **index, session, key)) return *trouble;
  if (const auto done = file.link_into_place(); !done) return done.error();
  return take_in(home, *change, *index, *memory, key);
}

Result<SessionRecord> replace_session(Home& home, Id session, Position end,
                                      const GiveLines& lines) {
  const std::string doing = "replacing " + described(session);
  files::Files& files = home.files();
  files::NewFile file(files, log::transcript_path(session), doing);
  const Result<log::LogMemory> memory = receive(files, file, session, lines, doing);
  if (!memory) return memory.error();

  Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  const Result<Index*> index = change->settle();
  if (!index) return index.error();
  const Result<files::OpenFile> locked = home.lock(*change, session);
  if (!locked) return locked.error();
  const std::string place = transcript_place(files, session).path;
  if (const auto may = replaceable(home, session, place, end, file.temporary()); !may)
    return may.error();
  if (const auto done = take_place(files, file, session, place, doing); !done) return done.error();
  log_warning("replaced", {{"session", to_string(session)}});
  const auto known = (*index)->sessions.find(session);
  const std::string key = known != (*index)->sessions.end()
                              ? known->second.key
                              : free_key(**index, session, effective_key(*memory));
  return take_in(home, *change, *index, *memory, key);
}

Result<SessionRecord> take_in(Home& home, IndexChange& change, Index* index,
                              const log::LogMemory& memory, const std::string& key) {
  const Id session = memory.header.session;
  Result<Transcript> opened =
      open_transcript(home.files(), session, log::transcript_path(session), &memory);
  if (!opened) return opened.error();
  const Transcript& kept = home.keep(session, *std::move(opened));
  const IndexEntry entry{kept.memory(), false, key};
  home.index().note_new(entry);
  if (index != nullptr) {
    index->sessions[session] = entry;
    index->lost.erase(session);
    (void)change.save_moved();
  }
  return home.record_of(kept);
}

}  // namespace skein::store::home
