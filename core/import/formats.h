// The programs whose sessions can be read: one row for each. To add one, write a file with a
// function that recognizes its files and one that reads them, and add a row.
#pragma once

#include "core/import/source/format.h"

namespace skein::importers {

using Recognizes = bool(const SourceFile& file);
using Reads = void(const SourceFile& file, const ReadOptions& options, Receiver& receiver);

struct ImportFormat {
  std::string_view name;     // "claude-code", for --from and as the origin of a session
  std::string_view agent;    // "Claude Code", for people
  std::string_view channel;  // of the keys of its sessions: "claude"
  // Whether the file is one of its sessions (or holds some), by its content; the name may help
  // where the content is not enough. Quick: reads the head, or little more.
  Recognizes* recognizes;
  // Gives every session in the file. Never throws for what the file says; a damaged line costs
  // that line, and is counted as lost. Throws Error if the file cannot be read at all.
  Reads* read;
  // Its home: the folder, or folders separated by commas, that a variable names, else those below
  // $HOME. Empty: it has no usual place.
  const char* variable = "";
  std::vector<std::string_view> homes{};
  std::vector<std::string_view> below{};  // the folders or files there that hold sessions
};

// The most specific first: the first that recognizes a file reads it.
std::span<const ImportFormat> formats();
const ImportFormat* format_named(std::string_view name);
const ImportFormat* format_of(const SourceFile& file);  // nullptr: no program's

// The folders or files in which it keeps sessions on this machine, whether they exist or not.
std::vector<std::string> usual_places(const ImportFormat& format);

}  // namespace skein::importers
