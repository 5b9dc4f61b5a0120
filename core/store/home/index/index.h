// sessions.json: what is known of every session without reading its transcript. A cache: whatever
// it says is checked against the file, and all of it can be rebuilt from transcripts/.
#pragma once

#include "core/store/log/log_reader.h"

namespace skein::store::home {

struct IndexEntry {
  log::LogMemory memory{};
  bool archived = false;
  // The key it is known by: its own, with a suffix if another session has the same.
  std::string key{};
};

struct Index {
  std::map<Id, IndexEntry> sessions{};
  // Those whose transcript went away, or cannot be read any more, without having been deleted: what
  // was known of them. `memory.stat` is of what is there now, without an inode if that
  // is nothing.
  std::map<Id, IndexEntry> lost{};
  // Of transcripts/ when this was written: as long as it is the same, no session came or went.
  // 0: not all of them could be looked at.
  std::int64_t folder_mtime_ns = 0;
  // Of the system that ran when all of them were last looked at; see DirtySessions.
  std::string boot{};
};

// What a session is called by.
struct IndexName {
  std::string_view key{}, used_at{};
  std::string title{};
  Id session{};
  std::int64_t messages = 0;
  bool archived = false;
};

// The line of a session; it lasts as long as the visit. All of it as JSON spells it.
struct IndexRow {
  std::string_view text{};  // "<key>":{…}
  std::string_view key{};

  std::string_view session() const;
  struct More {
    std::string_view used_at{}, messages{};
    std::string_view rest{};  // [,"title":"…"],"cwd":"…" and so on
    bool archived = false;
  };
  std::optional<More> more() const;       // nothing: that is not how a row is written
  std::optional<IndexName> name() const;  // the same
  bool parse(IndexEntry& into) const;
};

inline constexpr int index_version = 2;

// 2026-01-02T03:04:05.678Z → 20260102030405678: a time as a number that sorts as it does.
std::uint64_t digits_of(std::string_view timestamp);
// Every session, the one used last first.
std::vector<const IndexEntry*> newest_first(const Index& index);

std::string effective_key(const log::LogMemory& memory);
// Gives every entry its key; of several with the same, the one that has it already keeps it, else
// the oldest.
void assign_keys(Index& index);
// `own`, or what is made of it where another session than this one has that.
std::string free_key(const Index& index, Id session, const std::string& own);

SessionRecord record_of(const IndexEntry& entry);

}  // namespace skein::store::home
