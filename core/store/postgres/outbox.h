// Batches that could not be sent because the database was away, kept in a folder of this machine
// until they can: one file each, in the order they were said.
#pragma once

#include "core/store/backend.h"
#include "core/store/files/files.h"

namespace skein::store::postgres {

class Outbox {
 public:
  // The folder is made when something is first parked in it.
  explicit Outbox(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  // Safe on the disk when it returns. Only of entries that have their parents.
  Result<void> park(Id session, std::span<const NewEntry> entries);
  bool has(Id session) const;
  std::vector<Id> sessions() const;

  struct Batch {
    std::string name{};
    std::vector<NewEntry> entries{};
  };
  // What was parked first; none: nothing is. What cannot be read is reported, and stays.
  Result<std::optional<Batch>> first(Id session) const;
  Result<void> remove(const Batch& batch);

 private:
  Result<files::Files*> opened() const;
  std::vector<std::string> names(std::optional<Id> session) const;

  std::string folder_;
  mutable std::unique_ptr<files::Files> files_{};
};

}  // namespace skein::store::postgres
