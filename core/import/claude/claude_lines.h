// The lines of a session file of Claude Code: which lines make one entry, what follows what, and
// which entries make one session. A message of the model is on several lines, with results between
// them; a sub-agent of an older version is between the lines of the session that started it.
#pragma once

#include "core/import/source/foreign_json.h"

namespace skein::importers {

enum class ClaudeKind : std::uint8_t {
  link,      // only leads from one line to another
  prompt,    // what the user wrote
  command,   // /name, which may be a prompt
  output,    // of a command that the program carried out itself
  context,   // what the user did not type
  result,    // of calls
  answer,    // a block of the model's message, or several
  boundary,  // here the conversation was compacted
  summary,   // to this
};

struct ClaudeUnit;

struct ClaudeLine {
  ClaudeKind kind = ClaudeKind::link;
  std::string id{};
  std::string parent{};      // the line before; empty: none is named
  std::string message{};     // the model's message it is part of
  std::string answers{};     // of a result: the call, or
  std::string answered{};    // the line that made it
  std::string time{};        // may be empty
  Json said{};               // `message` or `attachment`, else the record; of a link only its hash
  std::uint64_t offset = 0;  // where its record is in the file
  std::size_t size = 0;
  std::size_t number = 0;  // of the lines before it
  std::size_t calls = 0;   // how many are made or answered here
  ClaudeUnit* unit = nullptr;
  bool root = false;  // it says that nothing comes before it
  bool side = false;
  bool failed = false;      // instead of an answer there was an error
  bool aborted = false;     // the answer was cut short by the user
  bool attachment = false;  // what `said` is
};

// The lines of an entry.
struct ClaudeUnit {
  ClaudeKind kind = ClaudeKind::link;
  bool root = false;
  bool unfinished = false;  // more of it may come
  bool local = false;       // of a command: the program carried it out itself
  ClaudeUnit* parent = nullptr;
  ClaudeUnit* partner = nullptr;  // an answer's results; the answer of results
  ClaudeUnit* top = nullptr;      // the root of its tree
  std::size_t order = 0;          // in which they are given: parents come before their children
  std::vector<const ClaudeLine*> lines{};
  std::uint64_t bytes = 0;  // of all of them
  std::size_t calls = 0;    // made, or answered

  // What was given of it: set by the one who gives the entries of a session.
  struct Given {
    bool said = false;    // a message or a payload, where a session may end
    std::string entry{};  // what its children follow; empty: nothing
  } given{};
  std::deque<std::string> nameless_calls{};  // of these, calls without an id and a result

  const ClaudeLine& first() const { return *lines.front(); }
  const ClaudeLine& last() const { return *lines.back(); }
};

struct ClaudeTranscript {
  std::deque<ClaudeLine> lines{};                                // these and units do not move
  std::unordered_map<std::string, const ClaudeLine*> line_of{};  // by id
  std::deque<ClaudeUnit> units{};  // in the order of their first lines
  // The units of each session, in that order; the first is the file's own.
  std::vector<std::vector<ClaudeUnit*>> sessions{};
  // Nothing in the file says what follows what: it is read from top to bottom.
  bool unlinked = false;
  std::string session{}, cwd{}, forked_from{}, title{};

  const ClaudeLine* line(const std::string& id) const { return found_in(line_of, id); }
};

ClaudeTranscript read_claude_lines(const SourceFile& file, const ReadOptions& options,
                                   Receiver& receiver);

}  // namespace skein::importers
