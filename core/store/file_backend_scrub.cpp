// The one operation that rewrites: a text is taken out of every file of the home. The session it
// was asked for comes last, so that whoever is stopped in the middle still knows what to look for.
#include <algorithm>
#include <cerrno>
#include <set>

#include "core/scrub.h"
#include "core/store/blobs.h"
#include "core/store/file_backend.h"
#include "core/store/new_transcript.h"

namespace skein {

namespace {

constexpr std::uint64_t max_file_bytes = 1u << 30;
constexpr const char* filtered_folders[] = {"quarantine", "drafts", "trash", "transcripts", ""};

Failure not_scrubbed(Failure failure) {
  failure.text += "; the text may still stand there, so do it again once that is solved";
  return failure;
}

int read_bytes(Files& files, const std::string& path, std::string& out) {
  return read_pieces(files, path, [&](std::string_view piece) {
    out += piece;
    return out.size() > max_file_bytes ? -EFBIG : 0;
  });
}

// What a transcript would lose, by what it holds now.
struct Findings {
  std::size_t entries = 0;
  std::vector<Id> summaries{};
};

std::optional<Failure> look_for(Log& log, const Scrubbing& what, Findings& out) {
  bool seen = false;
  return log.each_line([&](const Found& found) {
    const EntryFacts facts = found.facts();
    seen = seen || facts.id == what.target.id;
    const bool summary =
        facts.type == type::compaction_summary || facts.type == type::branch_summary;
    const bool changes = (facts.type == type::custom || gives_away(found.text, what)) &&
                         scrubbed(found.to_entry(), what);
    out.entries += changes ? 1 : 0;
    if (summary && seen && !changes && facts.id != what.target.id)
      out.summaries.push_back(facts.id);
    return true;
  });
}

// Bytes that were never an entry, or are none any more.
struct Unreadable {
  std::uint64_t begin = 0;
  std::string bytes{};
};

std::optional<Failure> collect_unreadable(Files& files, Log& log, const std::string& path,
                                          std::vector<Unreadable>& out) {
  const Outcome<Damage> examined = log.examine();
  if (const auto* failed = std::get_if<Failure>(&examined)) return *failed;
  std::vector<Damage::Range> ranges = std::get<Damage>(examined).broken;
  const auto& uncommitted = std::get<Damage>(examined).uncommitted;
  ranges.insert(ranges.end(), uncommitted.begin(), uncommitted.end());
  if (ranges.empty()) return std::nullopt;
  std::string bytes;
  if (const int read = read_bytes(files, path, bytes); read < 0)
    return failure_from_errno(read, path);
  for (const Damage::Range& range : ranges)
    out.push_back({range.begin, bytes.substr(std::min<std::size_t>(range.begin, bytes.size()),
                                             static_cast<std::size_t>(range.end - range.begin))});
  return std::nullopt;
}

// What does not give it away goes where the next append would have put it.
std::optional<Failure> set_aside(Files& files, Id session, const std::vector<Unreadable>& pieces,
                                 const Scrubbing& what) {
  for (const Unreadable& piece : pieces) {
    if (gives_away(piece.bytes, what)) continue;
    const std::string fragment = "quarantine/" + to_string(session) + "." +
                                 std::to_string(piece.begin) + "." + std::to_string(now_ms()) +
                                 ".frag";
    if (const int kept = replace_file(files, fragment, piece.bytes); kept < 0)
      return failure_from_errno(kept, fragment);
  }
  return std::nullopt;
}

// The transcript at `path`, rewritten to `target`; nothing happens if it has nothing to lose. The
// caller keeps others from writing to it.
std::optional<Failure> rewrite(Files& files, Id session, const std::string& path,
                               const std::string& target, const Scrubbing& what, Scrubbed& report,
                               bool& changed) {
  changed = false;
  const Outcome<Transcript> opened = open_transcript(files, session, path);
  if (const auto* failed = std::get_if<Failure>(&opened)) return not_scrubbed(*failed);
  Log& log = *std::get<Transcript>(opened).log;
  Findings findings;
  if (auto failed = look_for(log, what, findings)) return not_scrubbed(*failed);
  report.summaries.insert(report.summaries.end(), findings.summaries.begin(),
                          findings.summaries.end());
  std::vector<Unreadable> unreadable;
  if (auto failed = collect_unreadable(files, log, path, unreadable)) return not_scrubbed(*failed);
  if (findings.entries == 0 && std::ranges::none_of(unreadable, [&](const Unreadable& piece) {
        return gives_away(piece.bytes, what);
      }))
    return std::nullopt;
  if (auto failed = log.writable()) return not_scrubbed(*failed);
  if (auto failed = set_aside(files, session, unreadable, what)) return not_scrubbed(*failed);

  NewTranscript rewritten(files, log.header(), target);
  if (auto failed = log.each_line([&](const Found& found) {
        if (found.facts().type == type::session_header) return true;
        if (const auto entry = scrubbed(found.to_entry(), what))
          rewritten.add(*entry);
        else
          rewritten.add(found);
        return true;
      }))
    return not_scrubbed(*failed);
  if (const int failed = rewritten.file().rename_into_place(); failed < 0)
    return not_scrubbed(failure_from_errno(failed, path));
  changed = true;
  report.changed.push_back(path + ": " + std::to_string(findings.entries) + " entries rewritten");
  if (path == target) return std::nullopt;
  int failed = files.remove(path);
  if (failed == 0) failed = files.sync_folder(parent_folder(path));
  return failed < 0 ? std::optional(not_scrubbed(failure_from_errno(failed, path))) : std::nullopt;
}

// Files of lines that are no transcripts: the lines that give it away go.
int filter_lines(Files& files, const std::string& path, const Scrubbing& what, bool& changed) {
  std::string bytes, kept;
  if (const int read = read_bytes(files, path, bytes); read < 0) return read;
  if (!(changed = gives_away(bytes, what))) return 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size() - 1) + 1;
    const std::string_view line = std::string_view(bytes).substr(at, end - at);
    if (!gives_away(line, what)) kept += line;
    at = end;
  }
  if (gives_away(kept, what)) kept.clear();  // it stands across several lines
  if (!kept.empty() && !is_packed(path)) return replace_file(files, path, kept);
  if (!kept.empty())
    if (const int written = replace_file(files, path.substr(0, path.size() - 3), kept); written < 0)
      return written;
  const int removed = files.remove(path);
  return removed < 0 ? removed : files.sync_folder(parent_folder(path));
}

// `spared` are files that were dealt with as transcripts.
std::optional<Failure> filter_folder(Files& files, const std::string& folder,
                                     const std::set<std::string>& spared, const Scrubbing& what,
                                     Scrubbed& report) {
  std::vector<std::string> names;
  const int listed = files.list(folder, names);
  if (listed == -ENOENT) return std::nullopt;
  if (listed < 0) return not_scrubbed(failure_from_errno(listed, folder));
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    FileStat stat;
    if (spared.contains(path)) continue;
    int failed = files.stat_path(path, stat);
    if (failed == 0 && stat.kind != FileStat::Kind::file) continue;
    bool changed = false;
    if (failed == 0) failed = filter_lines(files, path, what, changed);
    // Half of an archive, by one who died: nobody can tell what is in it, and nobody needs it.
    if (failed == -EILSEQ && name.ends_with(".tmp")) {
      changed = true;
      failed = files.remove(path);
      if (failed == 0) failed = files.sync_folder(folder);
    }
    if (failed < 0 && failed != -ENOENT) return not_scrubbed(failure_from_errno(failed, path));
    if (changed) report.changed.push_back(path + ": the lines that gave it away were removed");
  }
  return std::nullopt;
}

std::optional<Failure> remove_blobs(Files& files, const Scrubbing& what, Scrubbed& report) {
  std::vector<std::string> names;
  const int listed = files.list("blobs", names);
  if (listed == -ENOENT) return std::nullopt;
  if (listed < 0) return not_scrubbed(failure_from_errno(listed, "blobs"));
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const std::string path = "blobs/" + name;
    std::string bytes;
    if (const int read = read_whole(files, path, bytes, max_file_bytes); read < 0) {
      if (read == -ENOENT) continue;
      return not_scrubbed(failure_from_errno(read, path));
    }
    if (std::ranges::find(what.blobs, name) == what.blobs.end() && !gives_away(bytes, what))
      continue;
    int failed = files.remove(path);
    if (failed == 0) failed = files.sync_folder("blobs");
    if (failed < 0) return not_scrubbed(failure_from_errno(failed, path));
    report.changed.push_back(path + ": removed; what refers to it shows that it is gone");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> FileBackend::scrub_session(Id session, const Scrubbing& what,
                                                  Scrubbed& report) {
  const Outcome<OpenFile> locked = locked_transcript(session);
  if (const auto* failed = std::get_if<Failure>(&locked)) return not_scrubbed(*failed);
  FileStat stat;
  int found = 0;
  const std::string place = transcript_place(*files_, session, stat, found);
  bool changed = false;
  if (auto failed =
          rewrite(*files_, session, place, transcript_path(session), what, report, changed))
    return failed;
  open_.erase(session);
  return changed && is_packed(place) ? archive_locked(session) : std::nullopt;
}

Outcome<Scrubbed> FileBackend::scrub(Id session, Id entry, std::span<const std::string> named) {
  OpenFile held;
  if (auto failed = index_.lock(held)) return *failed;
  const Outcome<Position> at = locate(session, entry);
  if (const auto* failed = std::get_if<Failure>(&at)) return *failed;
  const Outcome<Placed> target = load_at(session, std::get<Position>(at));
  if (const auto* failed = std::get_if<Failure>(&target)) return *failed;
  const Scrubbing what = scrubbing_of(std::get<Placed>(target).entry, named);

  Scrubbed report;
  std::set<std::string> spared{"sessions.json", "last", "index.lock"};
  for (const auto& [other, known] : index_.current_locked().sessions)
    if (other != session)
      if (auto failed = scrub_session(other, what, report)) return *failed;
  if (index_.unreadable()) return not_scrubbed(*index_.unreadable());
  for (const auto& [each, known] : index_.current_locked().sessions)
    spared.insert({transcript_path(each), archive_path(each)});
  std::vector<std::string> trashed;
  if (const int listed = files_->list("trash", trashed); listed < 0)
    return not_scrubbed(failure_from_errno(listed, "the trash"));
  std::ranges::sort(trashed);
  for (const std::string& name : trashed) {
    const std::optional<Id> id = session_of_trashed(name);
    const std::string path = "trash/" + name,
                      plain = is_packed(path) ? path.substr(0, path.size() - 3) : path;
    bool changed = false;
    if (!id) continue;
    if (auto failed = rewrite(*files_, *id, path, plain, what, report, changed)) return *failed;
    spared.insert({path, plain});
  }
  for (const char* folder : filtered_folders)
    if (auto failed = filter_folder(*files_, folder, spared, what, report)) return *failed;
  if (auto failed = remove_blobs(*files_, what, report)) return *failed;
  if (auto failed = scrub_session(session, what, report)) return *failed;

  // Also what an earlier attempt removed and could not make sure of.
  for (const char* folder : filtered_folders)
    if (const int failed = files_->sync_folder(folder); failed < 0 && failed != -ENOENT)
      return not_scrubbed(failure_from_errno(failed, folder));
  if (const int failed = files_->sync_folder("blobs"); failed < 0 && failed != -ENOENT)
    return not_scrubbed(failure_from_errno(failed, "blobs"));

  index_.current_locked();
  int saved = index_.save_settled();
  if (saved == 0) saved = index_.rewrite_last();
  if (saved < 0) return not_scrubbed(failure_from_errno(saved, "the index of sessions"));
  return report;
}

}  // namespace skein
