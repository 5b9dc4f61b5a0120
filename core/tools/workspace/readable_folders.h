// Folders beside the workspace whose files tools may read and never change: those of skills. Each
// is a root of its own, so that no link in it leads out.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/tools/workspace/root.h"
#include "core/tools/workspace/withheld.h"

namespace skein::tools::workspace {

class ReadableFolders {
 public:
  // Real places; `tops` are the few folders that hold them all.
  void set(std::unordered_set<std::string> folders, std::set<std::string> tops) {
    folders_ = std::move(folders);
    tops_ = std::move(tops);
  }
  // What the model is kept from in the workspace and its project it is kept from here too.
  void withhold(Withheld::Settings settings) { withheld_ = std::move(settings); }
  const std::set<std::string>& tops() const { return tops_; }
  // Of the folder that an absolute path lies in, by its words; null: in none.
  std::shared_ptr<const Root> root_of(std::string_view path) const;

 private:
  std::unordered_set<std::string> folders_{};
  std::set<std::string> tops_{};
  std::optional<Withheld::Settings> withheld_{};
};

}  // namespace skein::tools::workspace
