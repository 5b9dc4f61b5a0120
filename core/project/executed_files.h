// Which files of a project its commands would run: who trusts a command trusts them, as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/project/markdown_file.h"
#include "core/project/places.h"

namespace skein::project {

// Programs, and scripts that are given to an interpreter, by their real places; no others, and
// nothing outside of the project but what a link in it leads to, by the link's name. `command` runs
// in the workspace.
std::vector<std::string> executed_files(const std::string& command, const Places& places);
// Of all the commands that stand in a file.
std::vector<std::string> executed_files(const MarkdownFile& file, const Places& places);

}  // namespace skein::project
