// What a command line does, as far as its text tells: the programs that it starts, and which of its
// commands only read, and only in the workspace. Such a line need not be asked about where there
// is a sandbox.
#pragma once

#include "core/model/tool.h"
#include "core/permission/shell_words.h"

namespace skein::permission {

// Where a command may read.
struct ReadingPlace {
  const model::Locate& locate;  // valid as long as the tool is
  const model::Survey& survey;
  // Whether a rule forbids reading a path, or may.
  std::function<bool(const std::string& path)> forbidden;
  bool some_forbidden = false;  // there is a rule that forbids reading something
};

// Every program with its arguments, also those that other programs start, in as many ways as its
// words can be read. A word of which nothing is known is a single NUL.
std::vector<SimpleCommand> started_programs(std::string_view line);

// Whether each of the simple commands of a line only reads, in their order. Empty: the line cannot
// be understood.
std::vector<bool> reading_commands(std::string_view line, const ReadingPlace& place);

}  // namespace skein::permission
