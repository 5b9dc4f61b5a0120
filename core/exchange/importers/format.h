// Which programs' sessions can be read: one row for each. To add one is to write a pair of files
// and to add a row.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/importers/receiver.h"
#include "core/exchange/importers/source_file.h"

namespace skein::exchange::importers {

// An environment variable's value; empty: not set. HOME always is.
using Environment = std::function<std::string(const char* variable)>;

struct ReadOptions {
  // The program may still be writing: what seems unfinished at the end is left for the next time.
  // Otherwise it is given as it is, under an id that the finished one will not have.
  bool growing = false;
};

struct Format {
  std::string_view name;     // "claude-code", for --from and as the origin of a session
  std::string_view agent;    // "Claude Code", for people
  std::string_view channel;  // of the keys of its sessions: "claude"
  // Whether the file is one of its sessions (or holds some), told by its content; the name may
  // help where the content cannot tell. Quick: reads the head, or little more.
  bool (*recognizes)(const SourceFile& file);
  // Gives every session in the file. Never throws for what the file says; a damaged line costs
  // that line, and is counted as lost. Throws Error if the file cannot be read at all.
  void (*read)(const SourceFile& file, const ReadOptions& options, Receiver& receiver);
  // The folders or files in which it keeps sessions on this machine, whether they exist or not;
  // nullptr: it has no usual place.
  std::vector<std::string> (*places)(const Environment& environment);
};

// The most specific first: the first that recognizes a file reads it.
std::span<const Format> formats();
const Format* format_named(std::string_view name);
const Format* format_of(const SourceFile& file);  // nullptr: nobody's

}  // namespace skein::exchange::importers
