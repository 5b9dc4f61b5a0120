// Markdown files that are commands: `git/commit.md` in a folder of commands is /git:commit.
#pragma once

#include <string>
#include <vector>

#include "core/project/markdown_file.h"
#include "core/project/places.h"

namespace skein::project {

struct CommandFile {
  std::string name;  // without the slash
  std::string path;  // where it really is
  bool of_project;
};

// In the order in which they count; several may have the same name. Only folders are read.
std::vector<CommandFile> find_commands(const Places& places);

// For lists and hints.
struct CommandWords {
  std::string description{};  // in one line
  std::string hint{};         // "[file] [mode]"
};
CommandWords words_of(const MarkdownFile& file);

}  // namespace skein::project
