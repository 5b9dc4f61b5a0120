// Every record of a rollout of Codex that belongs to the conversation, in a few bytes. A fork holds
// only its tail: what came before stands in other files, of which a part is read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/exchange/importers/names.h"
#include "core/exchange/importers/source_file.h"

namespace skein::exchange::importers {

enum class CodexKind : std::uint8_t {
  prompt,      // of the user, or what the program put into their mouth
  context,     // of the developer or another agent
  answer,      // words or thoughts of the model
  call,        // of a tool
  search,      // a call that the service answers itself, so that nobody wrote the answer down
  output,      // of a call
  compaction,  // what came before is replaced
  rollback,    // the newest turns are taken back
  failure,     // instead of an answer
  usage,       // of the answer before
  end,         // of an answer, at the latest
};

struct CodexRecord {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t body = 0, body_size = 0;  // the item or event, counted from `offset`
  std::uint32_t file = 0;                 // in which of the files
  std::uint32_t id = 0;                   // these are names of the index; 0: none
  std::uint32_t call = 0;
  std::uint32_t model = 0;
  std::int64_t time = 0;  // 0: not known
  CodexKind kind = CodexKind::end;
  bool event = false;  // not a part of the history, but telling of one
};

// A file, and how much of it is read.
struct CodexFile {
  const SourceFile* file = nullptr;
  std::uint64_t end = 0;
};

// What the first record of a file says of it.
struct CodexHead {
  std::string session{}, cwd{}, time{}, provider{};
  std::string parent{};
  bool spawned = false;
  std::string base{};  // the rollout that holds what came before; empty: none does
  std::uint64_t base_end = 0;
};
CodexHead codex_head(const SourceFile& file);

struct CodexIndex {
  // The files in the order in which they continue each other; they must outlive this. `growing`: a
  // last line that is not whole is no damage.
  CodexIndex(const std::vector<CodexFile>& files, bool growing);

  Names names{};
  std::vector<CodexRecord> records{};
  std::map<std::string, int> losses{};

 private:
  struct Seen;
  std::size_t add(std::string_view text, std::uint64_t offset, std::uint32_t file);
  bool classify(CodexRecord& record, const Seen& seen);
  bool classify_item(CodexRecord& record, std::string_view item);
  bool classify_event(CodexRecord& record, std::string_view event);
  bool name(CodexRecord& record, std::string_view id, std::string_view text);
  void choose();

  std::unordered_map<std::uint32_t, std::uint64_t> said_{};  // by id, the hash of what it says
  std::unordered_map<std::uint32_t, std::uint32_t> repeated_{};
  std::uint64_t last_total_ = 0;  // hash of the sum of all usage so far
  std::uint32_t model_ = 0;
  bool items_ = false;   // there are items: events only tell of them
  bool usages_ = false;  // there are records of usage: events only repeat them
};

}  // namespace skein::exchange::importers
