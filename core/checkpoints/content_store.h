// Where what was in files is kept, under the names checkpoints call it by: on this machine,
// wherever the sessions are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/store/session_store.h"

namespace skein::checkpoints {

class ContentStore {
 public:
  // In the home of the sessions, a folder of this machine; `store` must outlive this.
  explicit ContentStore(store::SessionStore& store) : blobs_(&store) {}
  // In a folder that stands for a home elsewhere.
  explicit ContentStore(std::unique_ptr<store::StorageBackend> folder)
      : own_(std::make_unique<store::SessionStore>(std::move(folder))), blobs_(own_.get()) {}

  ContentStore shared() { return ContentStore(*blobs_); }  // the same one; this must outlive it

  // Durable when they return; the names in the same order.
  store::Result<std::string> keep(std::string_view bytes) { return blobs_->keep_blob(bytes); }
  store::Result<std::vector<std::string>> keep_all(std::span<const std::string> all) {
    return blobs_->keep_blobs(all);
  }
  // Whether it is kept, so surely that it need not be kept again.
  bool holds(const std::string& name, std::uint64_t bytes) const {
    return blobs_->holds_blob(name, bytes);
  }
  store::Result<std::string> load(const std::string& name) { return blobs_->load_blob(name); }

 private:
  std::unique_ptr<store::SessionStore> own_{};
  store::SessionStore* blobs_;
};

}  // namespace skein::checkpoints
