// Which records of Codex make one entry: what the model said and called between two events is one
// answer, and all results of its calls are one message, wherever they stand.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/exchange/importers/codex_index.h"

namespace skein::exchange::importers {

inline constexpr std::uint32_t no_record = 0xFFFFFFFF;

enum class CodexEntry : std::uint8_t {
  prompt,
  context,
  answer,
  results,
  compaction,
  rollback,
  failure
};

struct CodexUnit {
  CodexEntry kind = CodexEntry::context;
  bool unfinished = false;                            // more of it may come
  std::uint32_t first = no_record, last = no_record;  // see CodexUnits::next()
  std::uint32_t size = 0;                             // how many records
  std::uint64_t bytes = 0;                            // of all of them
  std::uint32_t calls = 0;                            // made, or answered
  std::uint32_t partner = no_record;                  // an answer's results; the answer of results
  std::uint32_t usage = no_record;                    // the record that has it
};

struct CodexUnits {
  explicit CodexUnits(const CodexIndex& index);

  std::vector<CodexUnit> units{};  // in the order of their first records
  std::uint32_t next(std::uint32_t record) const { return next_[record]; }  // of the same unit

 private:
  void place(std::uint32_t record);
  void say(std::uint32_t record);
  void join(std::uint32_t unit, std::uint32_t record);
  std::uint32_t begin(CodexEntry kind);
  void place_output(std::uint32_t record);
  bool waits(const CodexUnit& answer) const;
  void find_unfinished();

  const CodexIndex& index_;
  std::vector<std::uint32_t> next_{};
  std::unordered_map<std::uint32_t, std::uint32_t> answer_of_{};  // by the name of a call
  std::uint32_t open_ = no_record;                                // the answer that is going on
  std::uint32_t latest_ = no_record;                              // the answer that came last
  bool closed_ = false;  // something tells that it is whole
};

}  // namespace skein::exchange::importers
