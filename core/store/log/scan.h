// Reading a transcript forward, with a verdict on every byte.
#pragma once

#include "core/store/files/named_files.h"
#include "core/store/log/line_codec.h"

namespace skein::store::log {

// Every byte of a file belongs to one of these.
enum class LineStatus {
  committed,    // its seal and its batch verify
  altered,      // was acknowledged once and still parses, but the seal is missing or wrong
  broken,       // was acknowledged once and cannot be read: a gap
  uncommitted,  // at the end, and what a torn write leaves: never acknowledged, not loaded
};

// What a scan came by; it lasts until the next.
struct ScannedLine {
  LineStatus standing = LineStatus::committed;
  std::uint64_t begin = 0, end = 0;  // bytes in the file, the newline included
  std::string_view text{};           // of a committed or altered line, without its newline
  const Line* line = nullptr;        // if it is in exactly our form
  const Entry* entry = nullptr;      // if it had to be parsed to be understood

  bool readable() const { return line != nullptr || entry != nullptr; }
  // Of what is readable.
  EntryFacts facts() const {
    return entry
               ? model::facts_of(*entry, begin)
               : EntryFacts{line->id, line->parent, line->type, line->timestamp, line->body, begin};
  }

  Entry to_entry() const { return entry ? *entry : entry_of(text, *line); }
};

using VisitLine = std::function<bool(const ScannedLine&)>;  // false ends it

struct ScanFrom {
  Id session{};
  std::uint64_t offset = 0;                   // a border between batches
  std::optional<std::uint32_t> last_crc = 0;  // of the batch that ends there; none: not known
  std::uint64_t acknowledged = 0;  // bytes below this are known to have been committed once
};

struct ScanEnd {
  std::uint64_t size = 0;             // of the file, as far as it was read
  std::uint64_t end = 0;              // where the next batch belongs
  std::uint32_t last_crc = 0;         // what the next batch will name as the one before
  bool newline_missing = false;       // the line before `end` has lost its newline
  std::vector<std::uint64_t> gaps{};  // where a batch names another predecessor than the one there
};

// Forward, calling `each` in file order. Memory stays bounded whatever the file holds. The
// file is never modified. `go_on`, where given, is asked after every block.
Result<ScanEnd> scan(const files::OpenFile& file, const ScanFrom& from,
                     const std::function<void(const ScannedLine&)>& each,
                     const std::function<bool()>& go_on = {});

}  // namespace skein::store::log
