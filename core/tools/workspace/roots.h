// Where tools may work, all of it: the workspace, the folders the user opened besides, and those
// that may only be read because skills are there. Which of them a path belongs to is decided here
// and nowhere else.
#pragma once

#include <memory>
#include <string_view>

#include "core/model/tool.h"
#include "core/tools/workspace/further_roots.h"
#include "core/tools/workspace/readable_folders.h"
#include "core/tools/workspace/root.h"

namespace skein::tools::workspace {

class Roots {
 public:
  enum class Use { reads, writes };

  // The others may be null.
  Roots(std::shared_ptr<const Root> workspace,  // NOLINT(google-explicit-constructor)
        std::shared_ptr<const ReadableFolders> readable = {},
        std::shared_ptr<const FurtherRoots> further = {})
      : workspace_(std::move(workspace)),
        readable_(std::move(readable)),
        further_(std::move(further)) {}

  const std::shared_ptr<const Root>& workspace() const { return workspace_; }
  const FurtherRoots* further() const { return further_.get(); }

  struct Chosen {
    std::shared_ptr<const Root> root{};
    bool further = false;
    bool closed = false;  // to that use
  };
  Chosen of(std::string_view path, Use use) const;
  // As Root::located; of a further folder as further_place says it.
  model::Located located(std::string_view path, Use use) const;
  // What a tool gets that works in there: as if it were the workspace, whose files alone are kept.
  static model::ToolPorts ports_in(const Chosen& chosen, const model::ToolPorts& ports);
  static std::string closed_to_changes(std::string_view path);

 private:
  std::shared_ptr<const Root> workspace_;
  std::shared_ptr<const ReadableFolders> readable_;
  std::shared_ptr<const FurtherRoots> further_;
};

}  // namespace skein::tools::workspace
