// Where things go that were taken out of the workspace: nothing is thrown away.
#pragma once

#include <string>

#include "core/tools/sandbox/tree_record.h"

namespace skein::tools::sandbox {

class Quarantine {
 public:
  // `folder` is made when it is needed. Without one (""), and where there is no room in it, a thing
  // stays in its place under a name that no program looks for.
  explicit Quarantine(std::string folder) : folder_(std::move(folder)) {}

  // Takes away what `name` refers to; `path` is its name for people. False if it is still there.
  bool take(int folder, const std::string& name, const std::string& path);

  // Where everything taken since the last call went, for people to read; empty: nothing was taken.
  std::string place();

 private:
  std::string folder_, bundle_{};
  bool left_in_place_ = false;
};

}  // namespace skein::tools::sandbox
