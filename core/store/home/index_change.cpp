#include "core/store/home/index_change.h"

#include <utility>

#include "core/store/files/named_files.h"

namespace skein::store::home {

Result<IndexChange> HomeIndex::change(int patience_ms) {
  Result<files::OpenFile> lock =
      files::open(files_, "index.lock", files::OpenAs::locker, "the index of sessions");
  if (!lock) return lock.error();
  if (const auto locked = lock->lock(patience_ms); !locked) return locked.error();
  return IndexChange(*this, *std::move(lock));
}

Result<Index*> IndexChange::settle() {
  unsettled_ = index_->unsettled_.finished();
  if (const auto settled = index_->settle(); !settled) return settled.error();
  index_->index_.boot = boot_id();
  return &index_->index_;
}

Result<void> IndexChange::save() {
  const Result<void> saved = index_->save();
  if (saved && unsettled_) index_->unsettled_.clear(*std::exchange(unsettled_, std::nullopt));
  return saved;
}

Result<void> IndexChange::save_moved() {
  Index& index = index_->index_;
  const auto folder = files::stat(index_->files_, "transcripts");
  if (index.folder_mtime_ns != 0) index.folder_mtime_ns = folder ? folder->mtime_ns : 0;
  return save();
}

Result<void> IndexChange::finish() {
  if (const auto settled = settle(); !settled) return settled.error();
  (void)save_moved();
  return {};
}

}  // namespace skein::store::home
