// What a command line does, as far as its text tells: the programs that it starts, and which of its
// commands only read, and only in the workspace. Such a line need not be asked about where there
// is a sandbox.
#pragma once

#include <string_view>
#include <vector>

#include "core/permission/reading_place.h"
#include "core/permission/shell_words.h"

namespace skein::permission {

// Every program with its arguments, also those that other programs start, in as many ways as its
// words can be read. A word of which nothing is known is a single NUL.
std::vector<SimpleCommand> started_programs(std::string_view line);

// Whether each of the simple commands of a line only reads, in their order. Empty: the line cannot
// be understood.
std::vector<bool> reading_commands(std::string_view line, ReadingPlace place);

}  // namespace skein::permission
