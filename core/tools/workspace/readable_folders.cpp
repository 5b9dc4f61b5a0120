#include "core/tools/workspace/readable_folders.h"

#include <filesystem>

#include "core/text/base.h"

namespace skein::tools::workspace {

std::shared_ptr<const Root> ReadableFolders::root_of(std::string_view path) const {
  if (folders_.empty() || !path.starts_with('/') || path.find('\0') != std::string_view::npos)
    return nullptr;
  std::filesystem::path at = std::filesystem::path(path).lexically_normal();
  for (; at != at.root_path(); at = at.parent_path()) {
    if (!folders_.contains(at.string())) continue;
    try {
      std::shared_ptr<const Withheld> withheld;
      if (withheld_) {
        Withheld::Settings here = *withheld_;
        here.workspace = at.string();
        // A skill of the project is a part of it; another one stands for itself.
        if (!here.workspace.starts_with(here.project + "/")) here.project = here.workspace;
        withheld = std::make_shared<const Withheld>(std::move(here));
      }
      return std::make_shared<const Root>(at.string(), std::vector<std::string>{}, best_resolver(),
                                          std::move(withheld));
    } catch (const Error&) {  // it is gone by now
      return nullptr;
    }
  }
  return nullptr;
}

}  // namespace skein::tools::workspace
