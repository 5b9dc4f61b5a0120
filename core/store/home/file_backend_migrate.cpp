// Sessions in older forms become transcripts: a new file, whole and synced, takes the old one's
// place, and the old one is set aside. Of both, the finished one counts.
#include <algorithm>
#include <cerrno>

#include "core/store/home/blobs.h"
#include "core/store/home/file_backend.h"
#include "core/store/home/gzip.h"
#include "core/store/home/legacy.h"
#include "core/store/log/new_transcript.h"
#include "core/store/log/seal.h"
#include "core/text/log.h"
#include "core/text/sha256.h"

namespace skein::store::home {

namespace {

constexpr std::uint64_t max_legacy_bytes = 1u << 30;

// A name nobody has yet: an attempt that was cut short may have used one this very moment.
std::string aside_for(files::Files& files, Id session, const std::string& source) {
  for (std::int64_t time = now_ms();; ++time) {
    std::string name = "quarantine/" + to_string(session) + "." + std::to_string(time) +
                       source.substr(source.rfind('.'));
    files::FileStat stat;
    if (files.stat_path(name, stat) != 0) return name;
  }
}

std::string legacy_path(Id session) { return "transcripts/" + to_string(session) + ".json"; }

}  // namespace

// Under whatever name it lies there; a name that is no session's stands for always the same one.
std::optional<Id> session_of_legacy(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos ||
      (name.substr(dot) != ".json" && name.substr(dot) != ".jsonl"))
    return std::nullopt;
  if (const auto id = parse_id(name.substr(0, dot))) return id;
  return parse_id(sha256_hex(name.substr(0, dot)).substr(0, 16));
}

Result<MigrationResult> FileBackend::migrate(Id session) {
  files::FileStat stat;
  const bool plain = files_->stat_path(log::transcript_path(session), stat) != -ENOENT;
  return migrate_file(plain ? log::transcript_path(session) : legacy_path(session), session);
}

Result<MigrationResult> FileBackend::migrate_file(const std::string& source, Id session) {
  Result<IndexChange> change = index_.change();
  if (!change) return change.error();
  const std::string path = log::transcript_path(session);
  MigrationResult result{.session = session};

  // One that is finished counts, whatever else is there.
  files::FileStat stat;
  files::OpenFile locked;
  if (const int found = files_->stat_path(path, stat); found == 0) {
    Result<files::OpenFile> file = locked_transcript(*change, session);
    if (!file) return file.error();
    locked = *std::move(file);
    log::Log log(*files_, session);
    const Result<void> read = log.refresh();
    if (!read && (read.error().kind != Failure::Kind::damaged || source != path))
      return read.error();
    if (read) {
      if (const auto done = log.writable(); !done) return done.error();
      // It may have been finished by one who could not make sure of its name.
      if (const int synced = files_->sync_folder("transcripts"); synced < 0)
        return failure_from_errno(synced, described(session));
      return set_legacy_aside(*change, session, source == path ? legacy_path(session) : source,
                              result);
    }
  } else if (found != -ENOENT) {
    return failure_from_errno(found, described(session));
  }

  std::string bytes;
  if (const int read = files::read_whole(*files_, source, bytes, max_legacy_bytes); read < 0)
    return failure_from_errno(read, described(session));
  std::optional<LegacySession> legacy = read_legacy(session, bytes);
  if (!legacy)
    return Failure{Failure::Kind::damaged,
                   described(session) + " is in no form skein knows; it was left as it is"};
  SessionHeader header{.session = session,
                       .key = legacy->key,
                       .cwd = legacy->cwd,
                       .created_by = "skein " SKEIN_VERSION,
                       .created_at = legacy->created_at};
  if (key_problem(header.key)) header.key = "main:migrated:" + to_string(session);
  const Result<std::string> key = free_key(*change, session, header.key);
  if (!key) return key.error();
  if (*key != header.key)
    legacy->losses.push_back("its key " + header.key +
                             " belongs to another session; it is called " + *key);
  header.key = *key;
  if (header.created_at.empty())
    header.created_at = legacy->entries.empty() ? now_utc() : legacy->entries.front().timestamp;
  log::NewTranscript migrated(*files_, header);
  for (const model::Entry& entry : legacy->entries) {
    if (entry.payload.size() + entry.meta.size() + 1024 > log::max_line_bytes)
      return Failure{Failure::Kind::refused, described(session) +
                                                 " cannot be migrated: an entry of it is larger "
                                                 "than 16 MiB; it was left as it is"};
    migrated.add(entry);
  }
  for (const std::string& blob : legacy->blobs)
    if (const Result<std::string> kept = write_blob(*files_, blob); !kept) return kept.error();
  const std::string doing = "migrating " + described(session);
  if (const auto done = migrated.finish(doing); !done) return done.error();
  if (source == path) {
    result.old_file = aside_for(*files_, session, source);
    int failed = files_->link(path, result.old_file);
    if (failed == 0) failed = files_->sync_folder("quarantine");
    if (failed < 0) return failure_from_errno(failed, doing);
  }
  if (const auto done =
          source == path ? migrated.rename_into_place(doing) : migrated.link_into_place(doing);
      !done)
    return done.error();
  result.form = legacy->form;
  result.entries = legacy->entries.size();
  result.losses = std::move(legacy->losses);
  log_warning("migration", {{"session", to_string(session)},
                            {"form", result.form},
                            {"entries", result.entries},
                            {"losses", result.losses.size()}});
  open_.erase(session);
  if (source == path) {
    if (const auto done = change->finish(); !done) return done.error();
    return result;
  }
  return set_legacy_aside(*change, session, source, result);
}

// However old it is, it takes no key from a session that is there.
Result<std::string> FileBackend::free_key(IndexChange& change, Id session, const std::string& own) {
  const Result<Index*> index = change.settle();
  if (!index) return index.error();
  const auto taken = [&](const std::string& key) {
    return std::ranges::any_of((*index)->sessions, [&](const auto& each) {
      return each.first != session && each.second.key == key;
    });
  };
  std::string key = own;
  for (int number = 2; taken(key); ++number) key = own + "." + std::to_string(number);
  return key_problem(key) ? "main:migrated:" + to_string(session) : key;
}

Result<MigrationResult> FileBackend::set_legacy_aside(IndexChange& change, Id session,
                                                      const std::string& source,
                                                      MigrationResult result) {
  files::FileStat stat;
  if (files_->stat_path(source, stat) == 0) {
    result.old_file = aside_for(*files_, session, source);
    if (const int moved = files::move_file(*files_, source, result.old_file); moved < 0)
      return failure_from_errno(moved, "setting " + source + " aside");
  }
  if (const auto done = change.finish(); !done) return done.error();
  return result;
}

Result<std::vector<MigrationResult>> FileBackend::migrate_strays() {
  std::vector<std::string> names;
  if (const int listed = files_->list("transcripts", names); listed < 0)
    return failure_from_errno(listed, "the home's folder transcripts");
  std::vector<MigrationResult> out;
  for (const std::string& name : names) {
    const std::optional<Id> session = session_of_legacy(name);
    const std::string path = "transcripts/" + name;
    if (!session) continue;
    if (path == log::transcript_path(*session) && !open_transcript_fails(*session)) continue;
    Result<MigrationResult> migrated = migrate_file(path, *session);
    // What is in no known form is told of as a stray.
    if (!migrated) {
      if (migrated.error().kind == Failure::Kind::damaged) continue;
      return migrated.error();
    }
    out.push_back(*std::move(migrated));
  }
  return out;
}

std::size_t FileBackend::older_forms() {
  std::vector<std::string> names;
  files_->list("transcripts", names);
  return static_cast<std::size_t>(std::ranges::count_if(names, [&](const std::string& name) {
    const std::optional<Id> session = session_of_legacy(name);
    if (!session || (session_of_file(name) && index_.find(*session) != nullptr)) return false;
    std::string bytes;
    return files::read_whole(*files_, "transcripts/" + name, bytes, max_legacy_bytes) == 0 &&
           read_legacy(*session, bytes).has_value();
  }));
}

// Whether a file has a session's name and is no transcript.
bool FileBackend::open_transcript_fails(Id session) {
  log::Log log(*files_, session);
  const auto read = log.refresh();
  return !read && read.error().kind == Failure::Kind::damaged;
}

}  // namespace skein::store::home
