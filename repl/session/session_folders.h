// The folders that are open to the tools besides the workspace: those of --add-dir for as long as
// the program runs, those of /add-dir for the session.
#pragma once

#include "core/store/home/grants.h"
#include "core/store/session_store.h"
#include "core/workspace/roots.h"

namespace skein::session {

class SessionFolders {
 public:
  struct Parts {
    store::SessionStore& store;
    store::home::Grants& grants;  // what the user has opened; a transcript may come from anywhere
    workspace::AdditionalDirectories::Settings roots;
  };
  // `flags`: as --add-dir has them. Throws Error before anything is begun. One of `configured` that
  // cannot be opened is reported instead.
  SessionFolders(Parts parts, const std::vector<std::string>& flags,
                 const std::vector<std::string>& configured = {});
  SessionFolders(const SessionFolders&) = delete;
  SessionFolders& operator=(const SessionFolders&) = delete;

  // The tools have them too.
  const std::shared_ptr<workspace::AdditionalDirectories>& roots() const { return roots_; }
  bool is_by_flag(const std::string& path) const;  // --add-dir
  // Opens those of the session, besides those of the flags. Returns remarks for the user.
  std::vector<std::string> take_up(Id session) const;
  // What the model has to know about those of the flags, once in a session.
  std::string news(Id session);
  const std::vector<std::string>& not_opened() const { return not_opened_; }
  // The files that @ can name, also those of the workspace: without those that git ignores.
  std::vector<std::string> files(std::shared_ptr<const workspace::IgnoredPaths> withheld) const;
  // What in them the model is kept from.
  std::vector<std::string> withheld() const;
  // The one that is meant, from the workspace on. Throws Error if it must not be opened.
  workspace::AdditionalDirectory find(std::string_view path, bool read_only) const;
  // Both return what the model has to know.
  std::string open(Id session, const workspace::AdditionalDirectory& folder);
  std::string close(Id session, const std::string& path);

 private:
  void open_flag(const std::string& flag);
  std::vector<workspace::AdditionalDirectory> recorded(Id session) const;
  void keep(Id session);  // those that are open, as the session's

  Parts parts_;
  std::shared_ptr<workspace::AdditionalDirectories> roots_;
  std::vector<workspace::AdditionalDirectory> of_flags_{};
  std::vector<std::string> not_opened_{};
};

}  // namespace skein::session
