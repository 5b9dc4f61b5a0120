#include "core/store/home/index_change.h"

namespace skein::store::home {

Result<IndexChange> HomeIndex::change(int patience_ms) {
  const int handle = files_.open("index.lock", files::OpenAs::locker);
  if (handle < 0) return failure_from_errno(handle, "the index of sessions");
  files::OpenFile lock(files_, handle);
  if (const int locked = files_.lock(handle, patience_ms); locked < 0)
    return failure_from_errno(locked, "the index of sessions");
  return IndexChange(*this, std::move(lock));
}

Result<Index*> IndexChange::settle() {
  if (const auto settled = index_->settle(); !settled) return settled.error();
  return &index_->index_;
}

Result<void> IndexChange::save() { return index_->save(); }

Result<void> IndexChange::save_moved() {
  Index& index = index_->index_;
  files::FileStat folder;
  const bool seen_all = index.folder_mtime_ns != 0;
  index.folder_mtime_ns = 0;
  if (seen_all && index_->files_.stat_path("transcripts", folder) == 0)
    index.folder_mtime_ns = folder.mtime_ns;
  return index_->save();
}

Result<void> IndexChange::finish() {
  if (const auto settled = settle(); !settled) return settled.error();
  (void)save_moved();
  return {};
}

}  // namespace skein::store::home
