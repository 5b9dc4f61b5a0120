#include "core/store/repair.h"

#include <cerrno>

#include "core/store/seal.h"

namespace skein {

namespace {

constexpr std::int64_t hour_ms = 60 * 60 * 1000;
constexpr std::size_t batch_bytes = max_batch_bytes / 4;

// Entries in, sealed batches out.
class Rewriter {
 public:
  Rewriter(Files& files, Files::Handle file, Id session)
      : files_(files), file_(file), seed_(seal_seed(session)) {}

  int take(Entry entry) {
    bytes_ += entry.payload.size() + entry.meta.size();
    batch_.push_back(std::move(entry));
    return batch_.size() == max_batch_entries || bytes_ >= batch_bytes ? flush() : 0;
  }
  int flush() {
    if (batch_.empty()) return 0;
    const SealedBatch sealed = seal_batch(batch_, seed_, last_crc_);
    last_crc_ = sealed.last_crc;
    batch_.clear();
    bytes_ = 0;
    return write_all(files_, file_, sealed.bytes);
  }

 private:
  Files& files_;
  Files::Handle file_;
  std::uint32_t seed_, last_crc_ = 0;
  std::vector<Entry> batch_{};
  std::size_t bytes_ = 0;
};

}  // namespace

Outcome<std::string> rebuild_transcript(Files& files, Log& log, const SessionHeader& header) {
  const std::string path = transcript_path(header.session), temporary = temporary_name(path);
  const std::string aside =
      "quarantine/" + to_string(header.session) + "." + std::to_string(now_ms()) + ".jsonl";
  const std::string doing = "rebuilding session " + to_string(header.session);
  const int handle = files.open(temporary, OpenAs::creator);
  if (handle < 0) return failure_from_errno(handle, doing);
  OpenFile file(files, handle);
  Rewriter writer(files, handle, header.session);
  int failed = writer.take(header_entry(header));
  if (failed == 0) failed = writer.flush();  // the header is a batch of its own
  const std::optional<Failure> unread = log.each(0, [&](const Placed& placed) {
    if (failed == 0 && placed.entry.type != type::session_header)
      failed = writer.take(placed.entry);
    return failed == 0;
  });
  if (failed == 0) failed = writer.flush();
  if (failed == 0) failed = files.sync(handle);
  file.reset();
  // Both names of the old file before the new one gets its: at no moment is a byte without a name.
  if (failed == 0 && !unread) failed = files.link(path, aside);
  if (failed == 0 && !unread) failed = files.sync_folder("quarantine");
  if (failed == 0 && !unread) failed = files.rename(temporary, path);
  if (failed < 0 || unread) {
    files.remove(temporary);
    return unread ? *unread : failure_from_errno(failed, doing);
  }
  if (const int synced = files.sync_folder("transcripts"); synced < 0)
    return failure_from_errno(synced, doing);
  return aside;
}

Outcome<std::vector<std::string>> remove_leftovers(Files& files) {
  std::vector<std::string> out;
  for (const std::string folder : {"", "transcripts", "trash", "quarantine", "blobs", "drafts"}) {
    std::vector<std::string> names;
    const int listed = files.list(folder, names);
    if (listed == -ENOENT) continue;
    if (listed < 0) return failure_from_errno(listed, "the home's folder " + folder);
    for (const std::string& name : names) {
      const std::string path = folder.empty() ? name : folder + "/" + name;
      FileStat stat;
      if (!name.ends_with(".tmp") || files.stat_path(path, stat) < 0 ||
          stat.kind != FileStat::Kind::file || now_ms() - stat.mtime_ns / 1'000'000 < hour_ms)
        continue;
      if (const int removed = files.remove(path); removed < 0)
        return failure_from_errno(removed, path);
      out.push_back(path);
    }
  }
  return out;
}

}  // namespace skein
