// What it means to append, whatever the lines rest in: which entries of a batch are new, what they
// follow, and whether others have gone on meanwhile. How they are written is for those who know
// where.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/store/log/log_reader.h"

namespace skein::store::log {

class LogAppender : public LogReader {
 public:
  using LogReader::LogReader;

 protected:
  // The entries that are not there yet, as they shall be written. Which are there is looked up in
  // `places_`: whoever calls has filled it.
  Result<std::vector<Entry>> resolve(std::span<const NewEntry> entries);
  // Whether `lines`, whole batches, go on from where the session ends; `conflict` if not.
  Result<void> check_lines(Position end, std::span<const std::string> lines) const;
  // The entry that whoever expects a tail must name.
  std::optional<Id> tail();
  Failure conflict(Id expected);

 private:
  // `wanted` is compared as it stands in a line.
  Result<bool> same_content(Entry wanted, bool follows, Position where);
};

}  // namespace skein::store::log
