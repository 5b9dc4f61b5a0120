// Finds the Markdown files in a folder of commands or agents, and in the folders below it.
#pragma once

#include <string>
#include <vector>

#include "core/project/places.h"

namespace skein::project {

struct FoundMarkdown {
  std::string below;  // its name in the folder: "git/commit.md"
  std::string path;   // where it really is
};

// Sorted by name. Links to files are followed as `followed` allows, links to folders are not; what
// is deeper than four folders or after the first 5,000 names is left out.
std::vector<FoundMarkdown> markdown_files(const OwnFolder& folder, const Places& places);

}  // namespace skein::project
