#include "core/store/home/scrub_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/store/home/gzip.h"
#include "core/store/home/transcript.h"
#include "core/store/log/new_transcript.h"
#include "core/store/log/seal.h"

namespace skein::store::home {

namespace {

constexpr std::uint64_t max_file_bytes = 1u << 30;

int read_bytes(files::Files& files, const std::string& path, std::string& out) {
  return read_pieces(files, path, [&](std::string_view piece) {
    out += piece;
    return out.size() > max_file_bytes ? -EFBIG : 0;
  });
}

// What a transcript would lose, by what it holds now.
struct Findings {
  std::size_t entries = 0;
  std::vector<Id> summaries{}, repeats{};
};

Result<Findings> look_for(log::Log& log, const model::Scrubbing& what) {
  Findings out;
  bool seen = false;
  const auto done = log.each_line([&](const log::ScannedLine& found) {
    const model::EntryFacts facts = found.facts();
    seen = seen || facts.id == what.target.id;
    const bool summary =
        facts.type == model::type::compaction_summary || facts.type == model::type::branch_summary;
    const bool concerns =
        facts.type == model::type::custom || model::may_give_away(found.text, what);
    const model::Entry entry = concerns ? found.to_entry() : model::Entry{};
    const std::optional<model::Entry> after =
        concerns ? model::scrubbed(entry, what) : std::nullopt;
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

Result<std::vector<Unreadable>> collect_unreadable(files::Files& files, log::Log& log,
                                                   const std::string& path) {
  const Result<Damage> examined = log.examine();
  if (!examined) return examined.error();
  std::vector<Damage::Range> ranges = examined->broken;
  const auto& uncommitted = examined->uncommitted;
  ranges.insert(ranges.end(), uncommitted.begin(), uncommitted.end());
  std::vector<Unreadable> out;
  if (ranges.empty()) return out;
  std::string bytes;
  if (const int read = read_bytes(files, path, bytes); read < 0)
    return failure_from_errno(read, path);
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
    if (const int kept = files::replace_file(files, fragment, piece.bytes); kept < 0)
      return failure_from_errno(kept, fragment);
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

}  // namespace

std::vector<model::Entry> copies_of(files::Files& files, const std::string& folder, Id entry) {
  std::vector<std::string> names;
  files.list(folder, names);
  const std::string mark = "\"id\":\"" + to_string(entry) + "\"";
  std::vector<model::Entry> out;
  for (const std::string& name : names) {
    std::string bytes;
    read_bytes(files, folder + "/" + name, bytes);
    for (std::size_t found = 0; (found = bytes.find(mark, found)) != std::string::npos; ++found) {
      const std::size_t begin = bytes.rfind('\n', found) + 1;
      const std::string_view line = std::string_view(bytes).substr(begin);
      const auto copy = log::entry_from_json(line.substr(0, line.find('\n')));
      if (copy && copy->id == entry) out.push_back(*copy);
    }
  }
  return out;
}

bool FileScrubber::transcript(Id session, const std::string& path, const std::string& name) {
  const Result<bool> changed = rewrite(session, path, name);
  if (!changed) unreached(path, changed.error().text);
  return changed && *changed;
}

Result<bool> FileScrubber::rewrite(Id session, const std::string& path, const std::string& name) {
  const Result<Transcript> opened = open_transcript(files_, session, path);
  if (!opened) {
    if (opened.error().kind != Failure::Kind::damaged || is_packed(path)) return opened.error();
    // It has a transcript's name, and is none.
    const int filtered = filter(path);
    if (filtered < 0) return failure_from_errno(filtered, path);
    return filtered > 0;
  }
  log::Log& log = *opened->log;
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
    return false;
  if (const auto done = log.writable(); !done) return done.error();
  if (const auto done = set_aside(files_, session, *unreadable, what_); !done) return done.error();

  log::NewTranscript rewritten(files_, log.header(), plain_name(path));
  if (const auto done = log.each_line([&](const log::ScannedLine& found) {
        if (found.facts().type == model::type::session_header) return true;
        if (const auto entry = model::scrubbed(found.to_entry(), what_))
          rewritten.add(*entry);
        else
          rewritten.add(found);
        return true;
      });
      !done)
    return done.error();
  if (const auto done = rewritten.finish(path); !done) return done.error();
  if (const int failed = place(rewritten.file(), path); failed < 0)
    return failure_from_errno(failed, path);
  report_.changed.push_back(path + ": " + std::to_string(findings->entries) +
                            (findings->entries == 1 ? " entry" : " entries") + " rewritten");
  return true;
}

// What was packed stays packed: were it unpacked first, there would be two files for a while, one
// with the text and one without.
int FileScrubber::place(files::NewFile& plain, const std::string& path) {
  if (!is_packed(path)) return plain.rename_into_place();
  if (const int failed = plain.finish(); failed < 0) return failed;
  const std::string& temporary = plain.temporary();
  const int handle = files_.open(temporary, files::OpenAs::reader);
  if (handle < 0) return handle;
  const files::OpenFile file(files_, handle);
  files::NewFile packed(files_, path);
  if (const std::int64_t failed = pack(files_, handle, packed); failed < 0)
    return static_cast<int>(failed);
  if (const int failed = packed.finish(); failed < 0) return failed;
  const int same = begins_with_packed(files_, temporary, packed.temporary());
  if (same <= 0) return same < 0 ? same : -EIO;
  return packed.rename_into_place();
}

int FileScrubber::filter(const std::string& path) {
  std::string bytes;
  if (const int read = read_bytes(files_, path, bytes); read < 0) return read;
  const auto tells = was_transcript(path) ? model::holds : model::may_give_away;
  if (!tells(bytes, what_)) return 0;
  const std::string kept = model::without(bytes, what_);
  if (kept == bytes) return 0;
  int failed = 0;
  if (!kept.empty()) {
    files::NewFile fresh(files_, plain_name(path));
    fresh.write(kept);
    failed = place(fresh, path);
  } else {
    failed = files_.remove(path);
    if (failed == 0) failed = files_.sync_folder(files::parent_folder(path));
  }
  return failed < 0 ? failed : 1;
}

template <class Each>
void FileScrubber::each_file(const std::string& folder, const std::set<std::string>& spared,
                             bool deep, const Each& each) {
  std::vector<std::string> names;
  if (const int listed = files_.list(folder, names); listed < 0) {
    if (listed != -ENOENT) unreached(folder, listed);
    return;
  }
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    if (spared.contains(path)) continue;
    files::FileStat stat;
    if (const int found = files_.stat_path(path, stat); found < 0) {
      if (found != -ENOENT) unreached(path, found);
    } else if (stat.kind == files::FileStat::Kind::file) {
      each(path);
    } else if (stat.kind == files::FileStat::Kind::folder && deep) {
      each_file(path, spared, deep, each);
    }
  }
}

void FileScrubber::folder(const std::string& folder, const std::set<std::string>& spared,
                          bool deep) {
  each_file(folder, spared, deep, [&](const std::string& path) {
    const int changed = filter(path);
    if (changed < 0 && changed != -ENOENT) return unreached(path, changed);
    if (changed > 0) report_.changed.push_back(prefix_ + path + ": what gave it away was removed");
  });
}

void FileScrubber::leftovers(const std::string& folder) {
  each_file(folder, {}, false, [&](const std::string& path) {
    if (!path.ends_with(".tmp")) return;
    if (const int removed = files_.remove(path); removed < 0 && removed != -ENOENT)
      return unreached(path, removed);
    report_.changed.push_back(path + ": removed, a process that died had left it behind");
  });
}

void FileScrubber::blobs() {
  each_file("blobs", {}, false, [&](const std::string& path) {
    std::string bytes;
    const bool own = std::ranges::find(what_.blobs, path.substr(6)) != what_.blobs.end();
    if (!own) {
      if (const int read = files::read_whole(files_, path, bytes, max_file_bytes); read < 0) {
        if (read != -ENOENT) unreached(path, read);
        return;
      }
      if (!model::holds(bytes, what_)) return;
    }
    if (const int removed = files_.remove(path); removed < 0) return unreached(path, removed);
    report_.changed.push_back(path + ": removed; what refers to it shows that it is gone");
  });
}

void FileScrubber::look(const std::string& folder, const std::set<std::string>& spared) {
  each_file(folder, spared, true, [&](const std::string& path) {
    std::string bytes;
    const int read = read_bytes(files_, path, bytes);
    if (read < 0 && read != -ENOENT)
      report_.left.push_back(prefix_ + path + " could not be looked at: " + std::strerror(-read));
    else if (model::holds(bytes, what_))
      report_.left.push_back("it also stands in " + prefix_ + path +
                             ", which is yours: take it out there");
  });
}

void FileScrubber::sync(const std::string& folder) {
  if (const int failed = files_.sync_folder(folder); failed < 0 && failed != -ENOENT)
    unreached(folder, failed);
}

void FileScrubber::unreached(const std::string& path, const std::string& why) {
  report_.unreached.push_back(prefix_ + (path.empty() ? "the folder itself" : path) + ": " + why);
}

void FileScrubber::unreached(const std::string& path, int error) {
  unreached(path, error == -EILSEQ
                      ? "a damaged archive: nobody can tell what is in it; move it away"
                  : error == -EFBIG ? "too large to be looked through; move it away"
                                    : std::strerror(-error));
}

}  // namespace skein::store::home
