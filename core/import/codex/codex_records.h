// The records of a rollout of Codex that belong to the conversation, and which of them make one
// entry: what the model said and called between two events is one answer, and all results of its
// calls are one message, wherever they are. A fork holds only its tail: what came before is in
// other files, of which a part is read.
#pragma once

#include "core/import/source/foreign_json.h"

namespace skein::importers {

enum class CodexKind : std::uint8_t {
  prompt,      // of the user, or what the program put into their mouth
  context,     // of the developer or another agent
  answer,      // words or thoughts of the model
  call,        // of a tool
  search,      // a call that the service answers itself, so that its answer is not recorded
  output,      // of a call
  compaction,  // what came before is replaced
  rollback,    // the newest turns are taken back
  failure,     // instead of an answer
  usage,       // of the answer before
  end,         // of an answer, at the latest
};

struct CodexRecord {
  CodexKind kind = CodexKind::end;
  bool event = false;        // not a part of the history, but about one
  std::string id{}, call{};  // may be empty
  std::string model{}, time{};
  Json said{};  // the item or event; not of an end
  const SourceFile* file = nullptr;
  std::uint64_t offset = 0;  // where the record is in it
  std::size_t size = 0;
};

// A file, and how much of it is read.
struct CodexFile {
  const SourceFile* file = nullptr;
  std::uint64_t end = 0;
};

// The records of an entry. `kind` is that of the first, where an answer also has calls.
struct CodexUnit {
  CodexKind kind = CodexKind::context;
  bool unfinished = false;  // more of it may come
  std::vector<const CodexRecord*> records{};
  std::uint64_t bytes = 0;             // of all of them
  std::size_t calls = 0;               // made, or answered
  CodexUnit* partner = nullptr;        // an answer's results; the answer of results
  const CodexRecord* usage = nullptr;  // the record that has it
};

struct CodexHistory {
  std::vector<CodexRecord> records{};
  std::deque<CodexUnit> units{};  // in the order of their first records, to which they point
};

// Of files in the order in which they continue each other, which must outlive what is returned.
CodexHistory read_codex_records(const std::vector<CodexFile>& files, const ReadOptions& options,
                                Receiver& receiver);

}  // namespace skein::importers
