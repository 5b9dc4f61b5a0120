#include "core/store/home/admit.h"

#include <algorithm>

#include "core/store/files/new_file.h"
#include "core/store/log/seal_chain.h"

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
  if (auto lost = home.index().lost(key)) return lost;
  return home.index().unreadable();
}

}  // namespace

Result<SessionRecord> admit_session(Home& home, Id session, const GiveLines& lines,
                                    TakenKey taken) {
  const std::string doing = "bringing in " + described(session);
  files::Files& files = home.files();
  files::NewFile file(files, log::transcript_path(session), doing);
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
  std::string key = effective_key(reader.memory());
  if (const auto trouble = key_problem(key)) return Failure{Failure::Kind::refused, *trouble};

  Result<IndexChange> change = home.index().change();
  if (!change) return change.error();
  const Result<Index*> index = change->settle();
  if (!index) return index.error();
  if (taken == TakenKey::numbered) key = free_key(**index, session, key);
  if (const auto trouble = in_the_way(home, **index, session, key)) return *trouble;
  if (const auto done = file.link_into_place(); !done) return done.error();
  return take_in(home, *change, **index, reader.memory(), key);
}

Result<SessionRecord> take_in(Home& home, IndexChange& change, Index& index,
                              const log::LogMemory& memory, const std::string& key) {
  const Id session = memory.header.session;
  Result<Transcript> opened =
      open_transcript(home.files(), session, log::transcript_path(session), &memory);
  if (!opened) return opened.error();
  const Transcript& kept = home.keep(session, *std::move(opened));
  index.sessions[session] = {kept.memory(), false, key};
  (void)change.save_moved();
  return home.record_of(kept);
}

}  // namespace skein::store::home
