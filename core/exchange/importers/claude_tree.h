// Which lines of Claude Code make one entry, and which entries one session. A message of the model
// stands on several lines, with results between them; a sub-agent of an older version stands
// between the lines of the session that started it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/exchange/importers/claude_index.h"

namespace skein::exchange::importers {

inline constexpr std::uint32_t no_unit = 0xFFFFFFFF;

// The lines of an entry.
struct ClaudeUnit {
  ClaudeKind kind = ClaudeKind::link;
  bool root = false;
  bool unfinished = false;  // more of it may come
  bool local = false;       // of a command: the program carried it out itself
  std::uint32_t parent = no_unit;
  std::uint32_t first = no_line, last = no_line;  // see ClaudeTree::next()
  std::uint32_t size = 0;                         // how many lines
  std::uint64_t bytes = 0;                        // of all of them
  std::uint32_t calls = 0;                        // made, or answered
  std::uint32_t partner = no_unit;                // an answer's results; the answer of results
};

struct ClaudeTree {
  explicit ClaudeTree(const ClaudeIndex& index);

  std::vector<ClaudeUnit> units{};  // in the order of their first lines
  // The units of each session, in that order; the first is the file's own.
  std::vector<std::vector<std::uint32_t>> sessions{};
  // Nothing in the file says what follows what: it is read from top to bottom.
  bool unlinked = false;

  std::uint32_t next(std::uint32_t line) const { return next_[line]; }  // of the same unit
  std::uint32_t unit(std::uint32_t line) const { return unit_of_[line]; }

 private:
  std::uint32_t unit_for(std::uint32_t line);
  std::uint32_t answer_of(std::uint32_t line) const;
  std::uint32_t parent_line(const ClaudeLine& line) const;
  void link_units();
  std::vector<std::uint32_t> tops() const;
  void divide();
  void find_unfinished(const std::vector<std::uint32_t>& session);

  const ClaudeIndex& index_;
  std::vector<std::uint32_t> next_{}, unit_of_{};
  std::unordered_map<std::uint32_t, std::uint32_t> unit_of_message_{};
  std::uint32_t open_boundary_ = no_unit;  // that has no summary yet
  std::uint32_t latest_ = no_unit;         // that a line was added to
};

}  // namespace skein::exchange::importers
