// Every line of a session file of Claude Code in a few bytes: enough to know which lines make one
// entry and what follows what, before any of them is read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/exchange/importers/names.h"
#include "core/exchange/importers/source_file.h"

namespace skein::exchange::importers {

enum class ClaudeKind : std::uint8_t {
  link,      // only leads from one line to another
  prompt,    // what the user wrote
  command,   // /name, which may be a prompt
  output,    // of a command that the program carried out itself
  context,   // what nobody typed
  result,    // of calls
  answer,    // a block of the model's message, or several
  boundary,  // here the conversation was compacted
  summary,   // to this
};

inline constexpr std::uint32_t no_line = 0xFFFFFFFF;

struct ClaudeLine {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t body = 0, body_size = 0;  // `message` or `attachment`, counted from `offset`
  std::uint32_t hash = 0;                 // of what it says
  std::uint32_t id = 0;                   // these are names of the index
  std::uint32_t parent = 0;
  std::uint32_t message = 0;   // the model's message it is part of
  std::uint32_t answers = 0;   // of a result: the call, or
  std::uint32_t answered = 0;  // the line that made it
  std::uint32_t calls = 0;     // how many are made or answered here
  std::int64_t time = 0;       // 0: not known
  ClaudeKind kind = ClaudeKind::link;
  bool root = false;  // it says that nothing comes before it
  bool side = false;
  bool stopped = false;     // the model's message is whole
  bool failed = false;      // instead of an answer there was an error
  bool aborted = false;     // the answer was cut short by the user
  bool attachment = false;  // what `body` is
};

struct ClaudeIndex {
  // `growing`: a last line that is not whole is no damage.
  ClaudeIndex(const SourceFile& file, bool growing);

  Names names{};
  std::vector<ClaudeLine> lines{};
  std::string session{}, cwd{}, forked_from{};
  std::string title{};
  std::map<std::string, int> losses{};

  // The line of that name or of that call; no_line: there is none.
  std::uint32_t line(std::uint32_t name) const;
  std::uint32_t call(std::uint32_t name) const;

 private:
  struct Seen;
  // How long the record at the start of `text` is; 0: it cannot be read.
  std::size_t add(std::string_view text, std::uint64_t offset);
  // False: the line says nothing of the conversation, or nothing that can be understood.
  bool classify(ClaudeLine& line, const Seen& seen);
  bool look_into_message(ClaudeLine& line, const Seen& seen);
  void look_at_block(ClaudeLine& line, std::string_view block);
  bool name(ClaudeLine& line, const Seen& seen, std::string_view record);
  void take_facts(const Seen& seen);
  void choose_title();

  std::vector<std::uint32_t> line_of_{};                        // by name
  std::unordered_map<std::uint32_t, std::uint32_t> call_of_{};  // by name
  std::unordered_map<std::uint32_t, std::uint32_t> repeated_{};
  std::string custom_title_{}, made_title_{};
  std::vector<std::pair<std::string, std::string>> summaries_{};  // with the line each is of
};

}  // namespace skein::exchange::importers
