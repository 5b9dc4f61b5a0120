// Unsent text, one file per session: it survives a crash and a power cut, and is back in the line
// when the session is opened again.
#pragma once

#include <string>

#include "core/text/base.h"
#include "repl/edit/draft.h"

namespace skein::prompt {

class Drafts {
 public:
  // The folder need not exist. Without a name nothing is kept.
  explicit Drafts(std::string folder = {}) : folder_(std::move(folder)) {}

  // An empty draft removes the file. Never throws: a failed write costs a draft, not the session.
  void keep(Id session, const edit::Draft& draft) const;
  edit::Draft load(Id session) const;

 private:
  std::string folder_;
};

}  // namespace skein::prompt
