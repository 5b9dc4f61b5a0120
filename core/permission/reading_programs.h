// The programs that only read, and which of their options leave it at that.
#pragma once

#include "core/text/std.h"

#include "core/permission/shell_words.h"

namespace skein::permission {

// A command that only reads, as its words say it.
struct Reading {
  bool contents = false;  // of files, not only their names
  bool walks = false;
  bool walks_all = false;  // also through what is ignored and hidden
  bool git = false;
  bool text = false;                    // its words name no files, and may be unknown
  std::size_t script = 0;               // the word that is a text in its language
  std::vector<std::string> operands{};  // its words that are no options
};

// Nullopt: it may do more than read.
std::optional<Reading> reading_of(const SimpleCommand& command);

}  // namespace skein::permission
