// The files of one workspace as checkpoints see them: where they are, the repository around them,
// and who reads them. Checkpoints are taken and restored through the same one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/checkpoints/tree_scan.h"

namespace skein::checkpoints {

struct WorkspaceFiles {
  // `forbidden`, `unfinished`: as Root takes them; `memory`: as FileLook does. `store` must outlive
  // this. Throws Error if the folder cannot be opened.
  WorkspaceFiles(store::SessionStore& in_store, ContentStore kept_in, const std::string& folder,
                 std::vector<std::string> forbidden, Sandbox sandbox, std::string memory = {},
                 ScanLimits limits = {}, std::string unfinished = {})
      : store(in_store),
        contents(std::move(kept_in)),
        root(folder, std::move(forbidden), tools::workspace::best_resolver(), nullptr,
             std::move(unfinished)),
        repository(root, sandbox, stop),
        files(root, contents, stop, std::move(memory)),
        scanner(root, repository, files, stop, limits) {}
  WorkspaceFiles(const WorkspaceFiles&) = delete;  // its parts refer to each other

  store::SessionStore& store;  // of the entries
  Stop stop{};
  ContentStore contents;
  Root root;
  GitRepository repository;
  FileLook files;
  TreeScanner scanner;
};

}  // namespace skein::checkpoints
