#include "core/store/home/blobs.h"

#include <algorithm>
#include <cerrno>
#include <map>

#include "core/store/files/new_file.h"
#include "core/store/home/gzip.h"
#include "core/store/home/index_change.h"
#include "core/text/sha256.h"

namespace skein::store::home {

namespace {

constexpr std::int64_t day_ms = 24 * 60 * 60 * 1000;
// Once a blob is older than this, keeping it again writes it anew: one that is about to be
// referred to must never look old enough to be pruned.
constexpr std::int64_t renew_after_ms = day_ms / 2;

std::string path_of(std::string_view name) { return "blobs/" + std::string(name); }

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::int64_t age_ms(const files::FileStat& stat) { return now_ms() - stat.mtime_ns / 1'000'000; }

// Collects every blob's name that stands in a text which comes in pieces.
class NameFinder {
 public:
  explicit NameFinder(std::set<std::string>& found) : found_(found) {}
  void take(std::string_view piece) {
    for (const char c : piece) {
      if (is_hex(c)) {
        if (run_.size() < 64) run_ += c;
        ++length_;
        continue;
      }
      end();
    }
  }
  void end() {
    if (length_ == 64) found_.insert(run_);
    run_.clear();
    length_ = 0;
  }

 private:
  std::set<std::string>& found_;
  std::string run_{};
  std::size_t length_ = 0;
};

// A place for them, if they are not too many.
Result<void> make_room(files::Files& files, std::string_view bytes) {
  if (bytes.size() > max_blob_bytes)
    return Failure{Failure::Kind::refused, "more than 64 MiB cannot be kept in one piece"};
  files::FileStat there;
  if (files.stat_path("blobs", there) == 0) return {};
  int made = files.make_folder("blobs");
  if (made == 0) made = files.sync_folder("");
  return result_from_errno(made, "the home's folder blobs");
}

Result<std::string> write_named(files::Files& files, const std::string& name,
                                std::string_view bytes) {
  if (const int failed = files::replace_file(files, path_of(name), bytes); failed < 0)
    return failure_from_errno(failed, "keeping a blob");
  return name;
}

// What a file referred to when it was read.
struct References {
  files::FileStat stat{};
  std::set<std::string> names{};
};

Result<std::set<std::string>> references_in(files::Files& files, const std::string& path) {
  std::set<std::string> found;
  NameFinder finder(found);
  const int read = read_pieces(files, path, [&](std::string_view piece) {
    finder.take(piece);
    return 0;
  });
  finder.end();
  if (read < 0) return failure_from_errno(read, path);
  return found;
}

using AllReferences = std::map<std::string, References>;

// Every file that may refer to blobs. What is in `known` and has not changed is not read again.
Result<AllReferences> all_references(files::Files& files, AllReferences known) {
  AllReferences now;
  for (const std::string folder : {"transcripts", "trash", "quarantine", "drafts"}) {
    std::vector<std::string> names;
    const int found = files.list(folder, names);
    if (found == -ENOENT && folder == "drafts") continue;
    if (found < 0) return failure_from_errno(found, "the home's folder " + folder);
    // A temporary file is a copy of one that is there, or nobody will ever name it.
    std::erase_if(names, [](const std::string& name) { return name.ends_with(".tmp"); });
    for (const std::string& name : names) {
      const std::string path = folder + "/" + name;
      References refers;
      if (const int failed = files.stat_path(path, refers.stat); failed < 0)
        return failure_from_errno(failed, path);
      if (const auto before = known.find(path);
          before != known.end() && before->second.stat.same_version(refers.stat)) {
        refers.names = std::move(before->second.names);
      } else {
        Result<std::set<std::string>> found_there = references_in(files, path);
        if (!found_there) return found_there.error();
        refers.names = *std::move(found_there);
      }
      now.emplace(path, std::move(refers));
    }
  }
  return now;
}

}  // namespace

bool is_blob_name(std::string_view name) {
  return name.size() == 64 && std::ranges::all_of(name, is_hex);
}

Result<std::string> load_blob(files::Files& files, const std::string& name) {
  if (!is_blob_name(name))
    return Failure{Failure::Kind::refused, "'" + name + "' is not a blob's name"};
  std::string bytes;
  if (const int read = files::read_whole(files, path_of(name), bytes, max_blob_bytes); read < 0)
    return failure_from_errno(read, "blob " + name);
  if (sha256_hex(bytes) != name)
    return Failure{Failure::Kind::damaged, "blob " + name + " was changed; it is not shown"};
  return bytes;
}

Result<std::string> write_blob(files::Files& files, std::string_view bytes) {
  if (const auto done = make_room(files, bytes); !done) return done.error();
  return write_named(files, sha256_hex(bytes), bytes);
}

Result<std::string> keep_blob(files::Files& files, HomeIndex& index, std::string_view bytes) {
  if (const auto done = make_room(files, bytes); !done) return done.error();
  const std::string name = sha256_hex(bytes);
  files::FileStat there;
  std::optional<IndexChange> alone;
  if (files.stat_path(path_of(name), there) == 0) {
    const bool young = age_ms(there) < renew_after_ms;
    if (young && load_blob(files, name)) {
      // Whoever wrote it may have died before its name was safe.
      if (const int synced = files.sync_folder("blobs"); synced < 0)
        return failure_from_errno(synced, "keeping a blob");
      return name;
    }
    // A pruning that has it on its list is over before it is written, or sees it young.
    Result<IndexChange> change = index.change();
    if (!change) return change.error();
    alone = *std::move(change);
  }
  return write_named(files, name, bytes);
}

Result<PrunedBlobs> prune_blobs(files::Files& files, HomeIndex& index, bool only_look) {
  // Before the index is locked, since reading everything may take a while; then what changed since.
  Result<AllReferences> known = all_references(files, {});
  Result<IndexChange> change = index.change();
  if (!change) return change.error();
  std::vector<std::string> blobs;
  const int listed = files.list("blobs", blobs);
  if (listed == -ENOENT) return PrunedBlobs{};
  if (listed < 0) return failure_from_errno(listed, "the home's folder blobs");

  known = all_references(files, known ? *std::move(known) : AllReferences{});
  if (!known) {
    Failure failure = known.error();
    failure.text += "; no blob was removed, since this file may refer to it";
    return failure;
  }
  std::set<std::string> referred;
  for (auto& [path, refers] : *known) referred.merge(refers.names);
  PrunedBlobs out;
  std::ranges::sort(blobs);
  for (const std::string& name : blobs) {
    files::FileStat stat;
    if (!is_blob_name(name) || referred.contains(name)) continue;
    if (files.stat_path(path_of(name), stat) < 0 || age_ms(stat) < day_ms) continue;
    if (!only_look)
      if (const int removed = files.remove(path_of(name)); removed < 0)
        return failure_from_errno(removed, "removing blob " + name);
    out.names.push_back(name);
    out.bytes += stat.size;
  }
  if (!only_look) files.sync_folder("blobs");
  return out;
}

}  // namespace skein::store::home
