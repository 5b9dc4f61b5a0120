// Which files of a project a command runs: to trust the command is to trust them in their current
// form.
#pragma once

#include "core/text/std.h"

#include "core/project/markdown_files.h"
#include "core/project/places.h"

namespace skein::project {

struct ExecutedFiles {
  // Programs and scripts, and what they load or run in turn, by their real places. A link that
  // leads out of the project has its own name; nothing else is outside of the project.
  std::vector<std::string> files{};
  // Links on the way to them, and folders in which another file would be run as well.
  std::vector<std::string> names{};
  // What cannot be followed, for people: "`make`", "`$tool` in scripts/check.sh". If there is any,
  // every file of the project may be run.
  std::vector<std::string> unseen{};
};

// Who wrote a command. The user may run programs that skein knows nothing about.
enum class Author { user, project };

// `command` is for a shell in the workspace. Looks at the files that exist now.
ExecutedFiles executed_files(const std::string& command, const Places& places,
                             Author author = Author::project);
// Of all the commands in a file of the project.
ExecutedFiles executed_files(const MarkdownFile& file, const Places& places);

}  // namespace skein::project
