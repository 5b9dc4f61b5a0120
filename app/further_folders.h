// The folders that are open to the tools besides the workspace: those of --add-dir for as long as
// the program runs, those of /add-dir for the session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/store/home/grants.h"
#include "core/store/session_store.h"
#include "core/tools/workspace/further_roots.h"
#include "repl/session/services.h"

namespace skein::app {

class FurtherFolders {
 public:
  struct Parts {
    store::SessionStore& store;
    store::home::Grants& grants;  // what the user has opened; a transcript may come from anywhere
    tools::workspace::FurtherRoots::Settings roots;
  };
  // `flags`: as --add-dir has them. Throws Error before anything is begun. One of `configured` that
  // cannot be opened is reported instead.
  FurtherFolders(Parts parts, const std::vector<std::string>& flags,
                 const std::vector<std::string>& configured = {});
  FurtherFolders(const FurtherFolders&) = delete;
  FurtherFolders& operator=(const FurtherFolders&) = delete;

  // The tools have them too.
  const std::shared_ptr<tools::workspace::FurtherRoots>& roots() const { return roots_; }
  // Opens those of the session, besides those of the flags; what there is to say of it.
  std::vector<std::string> take_up(Id session) const;
  // What the model is to be told of those of the flags, once in a session.
  std::string told(Id session);
  const std::vector<std::string>& not_opened() const { return not_opened_; }
  // What in them the model is kept from.
  std::vector<std::string> withheld() const;
  void offer(session::Services& services);

 private:
  void open(const std::string& flag);
  std::vector<tools::workspace::FurtherFolder> recorded(Id session) const;
  void keep(Id session);  // those that are open, as the session's

  Parts parts_;
  std::shared_ptr<tools::workspace::FurtherRoots> roots_;
  std::vector<tools::workspace::FurtherFolder> of_flags_{};
  std::vector<std::string> not_opened_{};
};

}  // namespace skein::app
