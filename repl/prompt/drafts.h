// What was typed and not sent, one file per session: it survives a crash and a power cut, and is in
// the line again when the session is.
#pragma once

#include <string>

#include "core/text/base.h"
#include "repl/edit/draft.h"

namespace skein::prompt {

class Drafts {
 public:
  // In this folder, which need not be there. Without a name nothing is kept.
  explicit Drafts(std::string folder = {}) : folder_(std::move(folder)) {}

  // An empty one goes away. Whoever cannot write loses a draft, not the session: nothing throws.
  void keep(Id session, const edit::Draft& draft) const;
  edit::Draft load(Id session) const;

 private:
  std::string folder_;
};

}  // namespace skein::prompt
