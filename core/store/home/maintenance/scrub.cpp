#include "core/store/home/maintenance/scrub.h"

#include "core/store/home/archive.h"
#include "core/store/log/new_transcript.h"
#include "core/text/text.h"

namespace skein::store::home::maintenance {

namespace {

constexpr std::uint64_t max_file_bytes = 1u << 30;

Result<std::string> read_bytes(files::Files& files, const std::string& path) {
  std::string out;
  const auto take = [&](std::string_view piece) { return (out += piece).size() <= max_file_bytes; };
  TRY(read_pieces(files, path, take, path));
  if (out.size() > max_file_bytes) return Failure{Failure::Kind::refused, path + " is too large"};
  return out;
}

// Lines of former transcripts that have this entry's id: copies of it, perhaps from before it was
// scrubbed. What cannot be read has none.
std::vector<Entry> copies_of(files::Files& files, const std::string& folder, Id entry) {
  const auto names = files::list(files, folder);
  const std::string mark = "\"id\":\"" + to_string(entry) + "\"";
  std::vector<Entry> out;
  for (const std::string& name : names ? *names : std::vector<std::string>{}) {
    const Result<std::string> bytes = read_bytes(files, folder + "/" + name);
    for (std::size_t found = 0; bytes && (found = bytes->find(mark, found)) != std::string::npos;
         ++found) {
      const std::size_t begin = bytes->rfind('\n', found) + 1;
      const std::string_view line = std::string_view(*bytes).substr(begin);
      const auto copy = log::entry_from_json(line.substr(0, line.find('\n')));
      if (copy && copy->id == entry) out.push_back(*copy);
    }
  }
  return out;
}

// What a transcript would lose, by what it holds now.
struct Findings {
  std::size_t entries = 0;
  std::vector<Id> summaries{}, repeats{};
};

Result<Findings> look_for(log::LogReader& log, const model::Scrubbing& what) {
  Findings out;
  bool seen = false;
  TRY(log.each_line([&](const log::ScannedLine& found) {
    const EntryFacts facts = found.facts();
    seen = seen || facts.id == what.target.id;
    const bool summary =
        facts.type == type::compaction_summary || facts.type == type::branch_summary;
    const bool concerns = facts.type == type::custom || facts.type == type::message_delta_batch ||
                          model::may_give_away(found.text, what);
    const Entry entry = concerns ? found.to_entry() : Entry{};
    const std::optional<Entry> after = concerns ? model::scrubbed(entry, what) : std::nullopt;
    out.entries += after ? 1 : 0;
    if (summary && seen && !after && facts.id != what.target.id) out.summaries.push_back(facts.id);
    if (concerns && !model::is_marginal(facts.type) && model::repeats(after ? *after : entry, what))
      out.repeats.push_back(facts.id);
    return true;
  }));
  return out;
}

// Bytes that were never an entry, or are none any more.
struct Unreadable {
  std::uint64_t begin = 0;
  std::string bytes{};
};

Result<std::vector<Unreadable>> collect_unreadable(files::Files& files, log::LogReader& log,
                                                   const std::string& path) {
  const Damage examined = TRY(log.examine());
  std::vector<Damage::Range> ranges = examined.broken;
  const auto& uncommitted = examined.uncommitted;
  ranges.insert(ranges.end(), uncommitted.begin(), uncommitted.end());
  std::vector<Unreadable> out;
  if (ranges.empty()) return out;
  const std::string bytes = TRY(read_bytes(files, path));
  for (const Damage::Range& range : ranges)
    out.push_back({range.begin, bytes.substr(std::min<std::size_t>(range.begin, bytes.size()),
                                             static_cast<std::size_t>(range.end - range.begin))});
  return out;
}

// What does not give it away goes where the next append would have put it.
Result<void> set_aside(files::Files& files, Id session, const std::vector<Unreadable>& pieces,
                       const model::Scrubbing& what) {
  for (const Unreadable& piece : pieces) {
    if (model::gives_away(piece.bytes, what)) continue;
    const std::string fragment = "quarantine/" + to_string(session) + "." +
                                 std::to_string(piece.begin) + "." + std::to_string(now_ms()) +
                                 ".frag";
    TRY(files::replace_file(files, fragment, piece.bytes));
  }
  return {};
}

std::string plain_name(const std::string& path) {
  return is_packed(path) ? path.substr(0, path.rfind(".gz")) : path;
}

// What was a transcript once holds many entries, of which a line may be anybody's; a fragment or a
// draft may be nothing but half of the text.
bool was_transcript(std::string_view path) {
  return is_packed(path) || path.ends_with(".jsonl") || path.ends_with(".json");
}

// The reason alone, without the path it is about.
std::string reason(const std::string& path, const Failure& why) {
  if (why.kind == Failure::Kind::damaged && is_packed(path))
    return "a damaged archive with unknown contents; move it away";
  if (why.kind == Failure::Kind::refused) return "too large to be searched; move it away";
  return why.text.starts_with(path + ": ") ? why.text.substr(path.size() + 2) : why.text;
}

constexpr const char* filtered_folders[] = {"quarantine", "drafts",      "memory",
                                            "trash",      "transcripts", ""};
// In these, a process that writes a temporary file holds the lock of the index, or can do without
// it.
constexpr const char* locked_folders[] = {"quarantine", "trash", "transcripts", ""};

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

Failure not_done(const std::vector<std::string>& unreached) {
  return {Failure::Kind::io,
          "the text may still be in " + listed(unreached, "; ") +
              ". The entry was left in its session: solve this, then run the command again"};
}

void FileScrubber::transcript(Id session, const std::string& path, const std::string& name) {
  if (const auto done = rewrite(session, path, name); !done) unreached(path, done.error());
}

Result<void> FileScrubber::rewrite(Id session, const std::string& path, const std::string& name) {
  const Result<Transcript> opened = open_transcript(files_, session, path);
  if (!opened) {
    if (opened.error().kind != Failure::Kind::damaged || is_packed(path)) return opened.error();
    // It has a transcript's name, and is none.
    const Result<bool> filtered = filter(path);
    return filtered ? Result<void>{} : filtered.error();
  }
  log::LogReader& log = *opened->log;
  const Findings findings = TRY(look_for(log, what_));
  report_.summaries.insert(report_.summaries.end(), findings.summaries.begin(),
                           findings.summaries.end());
  for (const Id entry : findings.repeats) report_.repeats.push_back(name + " " + to_string(entry));
  const std::vector<Unreadable> unreadable = TRY(collect_unreadable(files_, log, path));
  if (findings.entries == 0 && std::ranges::none_of(unreadable, [&](const Unreadable& piece) {
        return model::gives_away(piece.bytes, what_);
      }))
    return {};
  TRY(log.writable());
  TRY(set_aside(files_, session, unreadable, what_));

  log::NewTranscript rewritten(files_, log.header(), path, plain_name(path));
  TRY(log.each_line([&](const log::ScannedLine& found) {
    if (found.facts().type == type::session_header) return true;
    if (const auto entry = model::scrubbed(found.to_entry(), what_))
      rewritten.add(*entry);
    else
      rewritten.add(found);
    return true;
  }));
  TRY(rewritten.finish());
  TRY(place(rewritten.file(), path));
  report_.changed.push_back(path + ": " + counted(findings.entries, "entry", "entries") +
                            " rewritten");
  return {};
}

// What was packed stays packed: were it unpacked first, there would be two files for a while, one
// with the text and one without.
Result<void> FileScrubber::place(files::NewFile& plain, const std::string& path) {
  if (!is_packed(path)) return plain.rename_into_place();
  TRY(plain.finish());
  const auto file = TRY(files::open(files_, plain.temporary(), files::OpenAs::reader, path));
  files::NewFile packed(files_, path, path);
  TRY(pack(file, packed));
  TRY(packed.finish());
  const bool same = TRY(begins_with_packed(files_, file, packed.temporary()));
  if (!same)
    return Failure{Failure::Kind::io, path + ": its archive differs from the file that was packed"};
  return packed.rename_into_place();
}

Result<bool> FileScrubber::filter(const std::string& path) {
  const std::string bytes = TRY(read_bytes(files_, path));
  const auto tells = was_transcript(path) ? model::holds : model::may_give_away;
  if (!tells(bytes, what_)) return false;
  const std::string kept = model::without(bytes, what_);
  if (kept == bytes) return false;
  if (!kept.empty()) {
    files::NewFile fresh(files_, plain_name(path), path);
    fresh.write(kept);
    TRY(place(fresh, path));
  } else {
    TRY(files::remove(files_, path));
    TRY(files::sync_folder(files_, files::parent_folder(path), path));
  }
  return true;
}

template <class Each>
void FileScrubber::each_file(const std::string& folder, const std::set<std::string>& spared,
                             bool deep, const Each& each) {
  const auto names = files::list(files_, folder);
  if (!names) {
    if (!names.error().missing) unreached(folder, names.error());
    return;
  }
  for (const std::string& name : *names) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    if (spared.contains(path)) continue;
    const auto stat = files::stat(files_, path);
    if (!stat) {
      if (!stat.error().missing) unreached(path, stat.error());
    } else if (stat->kind == files::FileStat::Kind::file) {
      each(path);
    } else if (stat->kind == files::FileStat::Kind::folder && deep) {
      each_file(path, spared, deep, each);
    }
  }
}

void FileScrubber::folder(const std::string& folder, const std::set<std::string>& spared,
                          bool deep) {
  each_file(folder, spared, deep, [&](const std::string& path) {
    const Result<bool> changed = filter(path);
    if (changed && *changed) report_.changed.push_back(prefix_ + path + ": the text was removed");
    if (!changed && !changed.error().missing) unreached(path, changed.error());
  });
}

void FileScrubber::leftovers(const std::string& folder) {
  each_file(folder, {}, false, [&](const std::string& path) {
    if (!path.ends_with(".tmp")) return;
    if (const auto removed = files::remove(files_, path); !removed && !removed.error().missing)
      return unreached(path, removed.error());
    report_.changed.push_back(path + ": removed, it was left behind by a process that died");
  });
}

void FileScrubber::blobs() {
  each_file("blobs", {}, false, [&](const std::string& path) {
    if (std::ranges::find(what_.blobs, path.substr(6)) == what_.blobs.end()) {
      const auto bytes = files::read_whole(files_, path, max_file_bytes);
      if (!bytes && !bytes.error().missing) unreached(path, bytes.error());
      if (!bytes || !model::holds(*bytes, what_)) return;
    }
    if (const auto removed = files::remove(files_, path); !removed)
      return unreached(path, removed.error());
    report_.changed.push_back(path + ": removed; entries that refer to it show that it is gone");
  });
}

void FileScrubber::look(const std::string& folder, const std::set<std::string>& spared) {
  each_file(folder, spared, true, [&](const std::string& path) {
    const Result<std::string> bytes = read_bytes(files_, path);
    if (!bytes && !bytes.error().missing)
      report_.left.push_back(prefix_ + path +
                             " could not be searched: " + reason(path, bytes.error()));
    else if (bytes && model::holds(*bytes, what_))
      report_.left.push_back("the text is also in " + prefix_ + path +
                             ", your own file: remove it there");
  });
}

void FileScrubber::sync(const std::string& folder) {
  if (const auto done = files::sync_folder(files_, folder); !done && !done.error().missing)
    unreached(folder, done.error());
}

void FileScrubber::unreached(const std::string& path, const Failure& why) {
  report_.unreached.push_back(prefix_ + (path.empty() ? "the folder itself" : path) + ": " +
                              reason(path, why));
}

// The session it was asked for comes last, so that a run that is stopped in the middle still knows
// what to look for.
Result<Scrubbed> scrub(Home& home, Id session, Id entry, const ScrubWish& wish) {
  files::Files& files = home.files();
  IndexChange change = TRY(home.index().change());
  Transcript* transcript = TRY(home.transcript(session));
  log::LogReader& log = *transcript->log;
  const Position at = TRY(log.locate(entry));
  const StoredEntry target = TRY(log.at(at));
  model::Scrubbing what = model::scrubbing_of(target.entry, wish.named);

  Scrubbed report;
  FileScrubber scrubber(files, what, report);
  // What an archiving left behind is a file more that holds it.
  std::set<std::string> spared{"sessions.json", "last",      "index.lock",
                               "work.lock",     "open.lock", "unsettled"};
  std::vector<Id> sessions;
  const Index* index = TRY(change.refresh());
  for (const auto& [each, known] : index->sessions) sessions.push_back(each);
  if (const auto& hidden = home.index().unreadable()) scrubber.unreached("transcripts", *hidden);
  for (const Id each : sessions) {
    spared.insert({log::transcript_path(each), archive_path(each)});
    if (const auto settled = resolve_pair(home, change, each); !settled)
      scrubber.unreached(archive_path(each), settled.error());
  }
  for (const Entry& copy : copies_of(files, "quarantine", entry)) model::widen(what, copy);
  for (const Id each : sessions)
    if (each != session) scrub_session(home, change, each, scrubber);
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
  if (report.unreached.empty()) scrub_session(home, change, session, scrubber);
  if (report.unreached.empty()) scrubber.sync("transcripts");
  if (!report.unreached.empty()) return not_done(report.unreached);

  Index* after = TRY(change.refresh());
  scrub_lost(*after, what);
  Result<void> saved = change.save_moved();
  if (saved) saved = home.index().rewrite_last();
  if (!saved) return not_done({saved.error().text});
  return report;
}

}  // namespace skein::store::home::maintenance
