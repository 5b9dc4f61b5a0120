#include "core/store/home/new_sessions.h"

#include "core/model/tree.h"
#include "core/text/log.h"

namespace skein::store::home {

namespace {

bool is_beside(std::string_view type) {
  return type == type::session_header || model::is_marginal(type);
}

Result<std::vector<Position>> positions_of_path(log::LogReader& source, Id leaf) {
  model::Tree::Builder builder;
  TRY(source.each_line([&](const log::ScannedLine& found) {
    const EntryFacts entry = found.facts();
    if (entry.type != type::session_header) builder.add(entry);
    return entry.id != leaf;
  }));
  const model::Tree tree = std::move(builder).build();
  std::vector<Position> out;
  for (const model::Tree::Node* node : tree.path(leaf)) out.push_back(node->at);
  return out;
}

// Why a session of this key cannot come in, or nothing.
std::optional<Failure> in_the_way(Home& home, const Index& index, Id session,
                                  const std::string& key) {
  const auto conflict = [](const std::string& text) {
    return Failure{Failure::Kind::conflict, text};
  };
  if (transcript_place(home.files(), session).stat)
    return conflict(described(session) + " exists already");
  if (std::ranges::any_of(index.sessions, [&](const auto& each) { return each.second.key == key; }))
    return conflict("another session there has the key " + key);
  const auto lost = home.index().lost(key);
  if (lost && !index.lost.contains(session)) return lost;  // else this is what was lost
  return home.index().unreadable();
}

// The lines in a file that is not in place yet, if every seal fits, and what they amount to.
Result<log::LogMemory> receive(files::Files& files, files::NewFile& file, Id session,
                               const GiveLines& lines, const std::string& doing) {
  log::SealChain chain(session, 0);
  bool fits = true;
  TRY(lines([&](std::string_view line) {
    fits = bool(chain.take(line));
    return fits && file.write(line) && file.write("\n");
  }));
  if (!fits || !chain.at_border())
    return Failure{Failure::Kind::damaged,
                   doing + ": its checksums do not match; nothing was written"};
  TRY(file.finish());
  log::LogReader reader(files, session, file.temporary());
  TRY(reader.refresh());
  TRY(reader.writable());
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
    TRY(file.link_into_place());
    return files::move_file(files, place, aside, doing);
  }
  TRY(files::link(files, place, aside, doing));
  TRY(files::sync_folder(files, "quarantine", doing));
  return file.rename_into_place();
}

// The path to `leaf`, root first; `copied` is given every entry's id, of one that is not on it as
// well where that was seen too late.
Result<void> copy_path(log::LogReader& source, Id leaf, log::NewTranscript& target,
                       const std::function<void(Id)>& copied) {
  std::optional<Id> last;
  bool chained = source.state().leaves.size() == 1;
  const auto copy = [&](const log::ScannedLine& found, Id id) {
    target.add(found);
    copied(*(last = id));
  };
  // Most sessions never branched: then every entry up to the leaf follows the one before it, and
  // one pass will do.
  if (chained)
    TRY(source.each_line([&](const log::ScannedLine& found) {
      const EntryFacts facts = found.facts();
      if (is_beside(facts.type)) return true;
      chained = facts.parent == last;
      if (chained) copy(found, facts.id);
      return chained && last != leaf;
    }));
  if (chained && last == leaf) return {};

  const std::vector<Position> wanted = TRY(positions_of_path(source, leaf));
  if (wanted.empty())
    return Failure{Failure::Kind::gone, "no entry '" + to_string(leaf) + "' in this session"};
  target.start_over();
  last.reset();
  std::size_t next = 0;
  return source.each_line([&](const log::ScannedLine& found) {
    if (found.begin != wanted[next]) return true;
    const EntryFacts facts = found.facts();
    if (facts.parent == last) {
      copy(found, facts.id);
    } else {
      // Its parent was lost, and it followed the entry before it: from now on by name.
      Entry entry = found.to_entry();
      entry.parent = last;
      target.add(entry);
      copied(*(last = entry.id));
    }
    return ++next < wanted.size();
  });
}

}  // namespace

Result<void> copy_fork(log::LogReader& source, Id leaf, std::span<const ForkExtra> extras,
                       log::NewTranscript& target) {
  std::set<Id> wanted, there;
  for (const ForkExtra& extra : extras)
    if (extra.about) wanted.insert(*extra.about);
  TRY(copy_path(source, leaf, target, [&](Id id) {
    if (!wanted.empty() && wanted.contains(id)) there.insert(id);
  }));
  for (const ForkExtra& extra : extras)
    if (!extra.about || there.contains(*extra.about)) target.add(extra.entry);
  return {};
}

Result<SessionRecord> import_lines(Home& home, Id session, const GiveLines& lines, TakenKey taken) {
  const std::string doing = "importing " + described(session);
  files::Files& files = home.files();
  files::NewFile file(files, log::transcript_path(session), doing);
  const log::LogMemory memory = TRY(receive(files, file, session, lines, doing));
  std::string key = effective_key(memory);
  if (const auto trouble = key_problem(key)) return Failure{Failure::Kind::refused, *trouble};

  IndexChange change = TRY(home.index().change());
  Index* index = TRY(change.refresh());
  if (taken == TakenKey::numbered) key = free_key(*index, session, key);
  if (const auto trouble = in_the_way(home, *index, session, key)) return *trouble;
  TRY(file.link_into_place());
  return take_in(home, change, index, memory, key);
}

Result<SessionRecord> replace_session(Home& home, Id session, Position end,
                                      const GiveLines& lines) {
  const std::string doing = "replacing " + described(session);
  files::Files& files = home.files();
  files::NewFile file(files, log::transcript_path(session), doing);
  const log::LogMemory memory = TRY(receive(files, file, session, lines, doing));

  IndexChange change = TRY(home.index().change());
  Index* index = TRY(change.refresh());
  const files::OpenFile locked = TRY(home.lock(change, session));
  const std::string place = transcript_place(files, session).path;
  TRY(replaceable(home, session, place, end, file.temporary()));
  TRY(take_place(files, file, session, place, doing));
  log_warning("replaced", {{"session", to_string(session)}});
  const auto known = index->sessions.find(session);
  const std::string key = known != index->sessions.end()
                              ? known->second.key
                              : free_key(*index, session, effective_key(memory));
  return take_in(home, change, index, memory, key);
}

Result<SessionRecord> take_in(Home& home, IndexChange& change, Index* index,
                              const log::LogMemory& memory, const std::string& key) {
  const Id session = memory.header.session;
  Transcript opened =
      TRY(open_transcript(home.files(), session, log::transcript_path(session), &memory));
  const Transcript& kept = home.keep(session, std::move(opened));
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
