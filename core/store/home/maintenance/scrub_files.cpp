#include "core/store/home/maintenance/scrub_files.h"

#include <algorithm>

#include "core/store/files/named_files.h"
#include "core/store/home/gzip.h"
#include "core/store/home/transcript.h"
#include "core/store/log/new_transcript.h"
#include "core/text/amounts.h"

namespace skein::store::home::maintenance {

namespace {

constexpr std::uint64_t max_file_bytes = 1u << 30;

Result<std::string> read_bytes(files::Files& files, const std::string& path) {
  std::string out;
  const auto take = [&](std::string_view piece) { return (out += piece).size() <= max_file_bytes; };
  if (const auto done = read_pieces(files, path, take, path); !done) return done.error();
  if (out.size() > max_file_bytes) return Failure{Failure::Kind::refused, path + " is too large"};
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
  const auto done = log.each_line([&](const log::ScannedLine& found) {
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
  });
  if (!done) return done.error();
  return out;
}

// Bytes that were never an entry, or are none any more.
struct Unreadable {
  std::uint64_t begin = 0;
  std::string bytes{};
};

Result<std::vector<Unreadable>> collect_unreadable(files::Files& files, log::LogReader& log,
                                                   const std::string& path) {
  const Result<Damage> examined = log.examine();
  if (!examined) return examined.error();
  std::vector<Damage::Range> ranges = examined->broken;
  const auto& uncommitted = examined->uncommitted;
  ranges.insert(ranges.end(), uncommitted.begin(), uncommitted.end());
  std::vector<Unreadable> out;
  if (ranges.empty()) return out;
  const Result<std::string> bytes = read_bytes(files, path);
  if (!bytes) return bytes.error();
  for (const Damage::Range& range : ranges)
    out.push_back({range.begin, bytes->substr(std::min<std::size_t>(range.begin, bytes->size()),
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
    if (const auto kept = files::replace_file(files, fragment, piece.bytes); !kept) return kept;
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

// What stands in the way, without the path it is said of.
std::string reason(const std::string& path, const Failure& why) {
  if (why.kind == Failure::Kind::damaged && is_packed(path))
    return "a damaged archive: nobody can tell what is in it; move it away";
  if (why.kind == Failure::Kind::refused) return "too large to be looked through; move it away";
  return why.text.starts_with(path + ": ") ? why.text.substr(path.size() + 2) : why.text;
}

}  // namespace

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
  const Result<Findings> findings = look_for(log, what_);
  if (!findings) return findings.error();
  report_.summaries.insert(report_.summaries.end(), findings->summaries.begin(),
                           findings->summaries.end());
  for (const Id entry : findings->repeats) report_.repeats.push_back(name + " " + to_string(entry));
  const Result<std::vector<Unreadable>> unreadable = collect_unreadable(files_, log, path);
  if (!unreadable) return unreadable.error();
  if (findings->entries == 0 && std::ranges::none_of(*unreadable, [&](const Unreadable& piece) {
        return model::gives_away(piece.bytes, what_);
      }))
    return {};
  if (const auto done = log.writable(); !done) return done.error();
  if (const auto done = set_aside(files_, session, *unreadable, what_); !done) return done.error();

  log::NewTranscript rewritten(files_, log.header(), path, plain_name(path));
  Result<void> done = log.each_line([&](const log::ScannedLine& found) {
    if (found.facts().type == type::session_header) return true;
    if (const auto entry = model::scrubbed(found.to_entry(), what_))
      rewritten.add(*entry);
    else
      rewritten.add(found);
    return true;
  });
  if (done) done = rewritten.finish();
  if (done) done = place(rewritten.file(), path);
  if (!done) return done;
  report_.changed.push_back(path + ": " + counted(findings->entries, "entry", "entries") +
                            " rewritten");
  return {};
}

// What was packed stays packed: were it unpacked first, there would be two files for a while, one
// with the text and one without.
Result<void> FileScrubber::place(files::NewFile& plain, const std::string& path) {
  if (!is_packed(path)) return plain.rename_into_place();
  if (const auto done = plain.finish(); !done) return done;
  const auto file = files::open(files_, plain.temporary(), files::OpenAs::reader, path);
  if (!file) return file.error();
  files::NewFile packed(files_, path, path);
  if (const auto done = pack(*file, packed); !done) return done.error();
  if (const auto done = packed.finish(); !done) return done;
  const Result<bool> same = begins_with_packed(files_, *file, packed.temporary());
  if (!same) return same.error();
  if (!*same) return Failure{Failure::Kind::io, path + ": its archive is not what was packed"};
  return packed.rename_into_place();
}

Result<bool> FileScrubber::filter(const std::string& path) {
  const Result<std::string> bytes = read_bytes(files_, path);
  if (!bytes) return bytes.error();
  const auto tells = was_transcript(path) ? model::holds : model::may_give_away;
  if (!tells(*bytes, what_)) return false;
  const std::string kept = model::without(*bytes, what_);
  if (kept == *bytes) return false;
  Result<void> done;
  if (!kept.empty()) {
    files::NewFile fresh(files_, plain_name(path), path);
    fresh.write(kept);
    done = place(fresh, path);
  } else {
    done = files::remove(files_, path);
    if (done) done = files::sync_folder(files_, files::parent_folder(path), path);
  }
  if (!done) return done.error();
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
    if (changed && *changed)
      report_.changed.push_back(prefix_ + path + ": what gave it away was removed");
    if (!changed && !changed.error().missing) unreached(path, changed.error());
  });
}

void FileScrubber::leftovers(const std::string& folder) {
  each_file(folder, {}, false, [&](const std::string& path) {
    if (!path.ends_with(".tmp")) return;
    if (const auto removed = files::remove(files_, path); !removed && !removed.error().missing)
      return unreached(path, removed.error());
    report_.changed.push_back(path + ": removed, a process that died had left it behind");
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
    report_.changed.push_back(path + ": removed; what refers to it shows that it is gone");
  });
}

void FileScrubber::look(const std::string& folder, const std::set<std::string>& spared) {
  each_file(folder, spared, true, [&](const std::string& path) {
    const Result<std::string> bytes = read_bytes(files_, path);
    if (!bytes && !bytes.error().missing)
      report_.left.push_back(prefix_ + path +
                             " could not be looked at: " + reason(path, bytes.error()));
    else if (bytes && model::holds(*bytes, what_))
      report_.left.push_back("it also stands in " + prefix_ + path +
                             ", which is yours: take it out there");
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

}  // namespace skein::store::home::maintenance
