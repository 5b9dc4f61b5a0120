#include "core/store/home/blobs.h"

#include "core/text/checksum.h"

namespace skein::store::home {

namespace {

constexpr std::int64_t day_ms = 24 * 60 * 60 * 1000;
// Once a blob is older than this, keeping it again rewrites it: one that is about to be
// referred to must never look old enough to be pruned.
constexpr std::int64_t renew_after_ms = day_ms / 2;

constexpr std::size_t few_blobs = 8;

std::string path_of(std::string_view name) { return "blobs/" + std::string(name); }

std::int64_t age_ms(const files::FileStat& stat) { return now_ms() - stat.mtime_ns / 1'000'000; }

// A place for them, if they are not too many.
Result<void> make_room(files::Files& files, std::string_view bytes) {
  if (bytes.size() > max_blob_bytes)
    return Failure{Failure::Kind::refused, "a blob cannot be larger than 64 MiB"};
  if (files::exists(files, "blobs")) return {};
  const auto made = files::make_folder(files, "blobs");
  return made ? files::sync_folder(files, "", "the home's folder blobs") : made;
}

Result<std::string> write_named(files::Files& files, const std::string& name,
                                std::string_view bytes) {
  TRY(files::replace_file(files, path_of(name), bytes, "storing a blob"));
  return name;
}

// What a file referred to when it was read.
struct References {
  files::FileStat stat{};
  std::set<std::string> names{};
};

// What was found, and the names in lists that were.
Result<std::set<std::string>> with_listed(files::Files& files, BlobNameFinder& finder,
                                          std::size_t newest) {
  std::set<std::string> found = finder.finish(newest);
  for (const std::string& list : finder.lists()) {
    const Result<std::string> rows = load_blob(files, list);
    if (!rows && !rows.error().missing) return rows.error();
    if (rows) found.merge(blob_names_in(*rows));
  }
  return found;
}

Result<std::set<std::string>> references_in(files::Files& files, const std::string& path,
                                            std::size_t newest) {
  BlobNameFinder finder;
  const auto take = [&](std::string_view piece) {
    finder.take(piece);
    return true;
  };
  TRY(read_pieces(files, path, take, path));
  return with_listed(files, finder, newest);
}

using AllReferences = std::map<std::string, References>;

Result<std::set<std::string>> references_in(files::Files& files, StorageBackend& sessions,
                                            std::size_t newest) {
  const std::vector<TrashedSession> thrown_away = TRY(sessions.trash());
  if (!thrown_away.empty())
    return Failure{Failure::Kind::refused,
                   "sessions in the trash may refer to saved files; remove them with `skein "
                   "sessions empty-trash`, or restore one with `skein sessions restore`"};
  const std::vector<SessionRecord> all = TRY(sessions.list());
  std::set<std::string> out;
  for (const SessionRecord& record : all) {
    BlobNameFinder finder;
    TRY(sessions.give_lines(record.header.session, 0, [&](std::string_view line) {
      finder.take(line);
      finder.take("\n");
      return true;
    }));
    sessions.close(record.header.session);
    std::set<std::string> found = TRY(with_listed(files, finder, newest));
    out.merge(found);
  }
  return out;
}

// Those that have been there for a day and are not among the names.
Result<PrunedBlobs> remove_others(files::Files& files, const std::vector<std::string>& blobs,
                                  const std::set<std::string>& referred, bool only_look) {
  PrunedBlobs out;
  for (const std::string& name : blobs) {
    if (!is_blob_name(name) || referred.contains(name)) continue;
    const auto stat = files::stat(files, path_of(name));
    if (!stat || age_ms(*stat) < day_ms) continue;
    if (!only_look) TRY(files::remove(files, path_of(name), "removing blob " + name));
    out.names.push_back(name);
    out.bytes += stat->size;
  }
  if (!only_look) files.sync_folder("blobs");
  return out;
}

// Every file that may refer to blobs. What is in `known` and has not changed is not read again.
Result<AllReferences> all_references(files::Files& files, AllReferences known, std::size_t newest) {
  AllReferences now;
  for (const std::string folder : {"transcripts", "trash", "quarantine", "drafts"}) {
    const auto names = files::list(files, folder);
    if (!names && names.error().missing && folder == "drafts") continue;
    if (!names) return names.error();
    for (const std::string& name : *names) {
      // A temporary file is a copy of one that is there, or will never be named.
      if (name.ends_with(".tmp")) continue;
      const std::string path = folder + "/" + name;
      const auto stat = TRY(files::stat(files, path));
      References refers{stat};
      if (const auto before = known.find(path);
          before != known.end() && before->second.stat.same_version(refers.stat)) {
        refers.names = std::move(before->second.names);
      } else {
        std::set<std::string> found = TRY(references_in(files, path, newest));
        refers.names = std::move(found);
      }
      now.emplace(path, std::move(refers));
    }
  }
  return now;
}

}  // namespace

bool holds_blob(files::Files& files, const std::string& name, std::uint64_t bytes) {
  if (!is_blob_name(name)) return false;
  const auto there = files::stat(files, path_of(name));
  return there && there->size == bytes && age_ms(*there) < renew_after_ms;
}

Result<std::string> load_blob(files::Files& files, const std::string& name) {
  if (!is_blob_name(name))
    return Failure{Failure::Kind::refused, "'" + name + "' is not a blob's name"};
  Result<std::string> bytes =
      files::read_whole(files, path_of(name), max_blob_bytes, "blob " + name);
  if (bytes && sha256_hex(*bytes) != name)
    return Failure{Failure::Kind::damaged, "blob " + name + " is damaged; it is not shown"};
  return bytes;
}

Result<std::string> write_blob(files::Files& files, std::string_view bytes) {
  TRY(make_room(files, bytes));
  return write_named(files, sha256_hex(bytes), bytes);
}

Result<std::string> keep_blob(Home& home, std::string_view bytes) {
  files::Files& files = home.files();
  TRY(make_room(files, bytes));
  const std::string name = sha256_hex(bytes);
  const auto there = files::stat(files, path_of(name));
  if (!there) return write_named(files, name, bytes);
  if (age_ms(*there) < renew_after_ms && load_blob(files, name)) {
    // Its writer may have died before its name was safe.
    TRY(files::sync_folder(files, "blobs", "storing a blob"));
    return name;
  }
  // A pruning that has it on its list is over before it is written, or sees it young.
  const IndexChange change = TRY(home.index().change());
  return write_named(files, name, bytes);
}

Result<std::vector<std::string>> keep_blobs(Home& home, std::span<const std::string> all) {
  files::Files& files = home.files();
  std::vector<std::string> names;
  std::set<std::string> coming;
  bool found = false;  // its writer may have died before its name was safe
  // One sync of everything costs about as much as a few of single files.
  const bool together = all.size() > few_blobs && files.can_sync_all();
  std::vector<std::unique_ptr<files::NewFile>> made;
  for (const std::string& bytes : all) {
    TRY(make_room(files, bytes));
    names.push_back(sha256_hex(bytes));
    const auto there = files::stat(files, path_of(names.back()));
    if (there && age_ms(*there) < renew_after_ms && load_blob(files, names.back())) {
      found = true;
    } else if (there) {
      TRY(keep_blob(home, bytes));
    } else if (coming.insert(names.back()).second) {
      made.push_back(
          std::make_unique<files::NewFile>(files, path_of(names.back()), "storing a blob"));
      made.back()->write(bytes);
      TRY(together ? made.back()->finish_unsynced() : made.back()->finish());
    }
  }
  if (made.empty() && !found) return names;
  if (together && !made.empty())
    if (const int done = files.sync_all(); done != 0)
      return files::failure_from_errno(-done, "storing blobs");
  for (const auto& file : made) TRY(file->rename_unsynced());
  TRY(files::sync_folder(files, "blobs", "storing blobs"));
  return names;
}

Result<PrunedBlobs> prune_blobs(Home& home, bool only_look, std::size_t keep_checkpoints) {
  files::Files& files = home.files();
  // Before the index is locked, since reading everything may take a while; then what changed since.
  Result<AllReferences> known = all_references(files, {}, keep_checkpoints);
  const IndexChange change = TRY(home.index().change());
  const auto blobs = files::list(files, "blobs");
  if (!blobs && blobs.error().missing) return PrunedBlobs{};
  if (!blobs) return blobs.error();

  known = all_references(files, known ? *std::move(known) : AllReferences{}, keep_checkpoints);
  if (!known) {
    Failure failure = known.error();
    failure.text += "; no blob was removed, since this file may refer to it";
    return failure;
  }
  std::set<std::string> referred;
  for (auto& [path, refers] : *known) referred.merge(refers.names);
  return remove_others(files, *blobs, referred, only_look);
}

Result<PrunedBlobs> prune_contents(Home& home, StorageBackend& sessions, bool only_look,
                                   std::size_t keep_checkpoints) {
  files::Files& files = home.files();
  // Before the index is locked: what is referred to since is young.
  const std::set<std::string> referred = TRY(references_in(files, sessions, keep_checkpoints));
  const IndexChange change = TRY(home.index().change());
  const auto blobs = files::list(files, "blobs");
  if (!blobs && blobs.error().missing) return PrunedBlobs{};
  if (!blobs) return blobs.error();
  return remove_others(files, *blobs, referred, only_look);
}

}  // namespace skein::store::home
