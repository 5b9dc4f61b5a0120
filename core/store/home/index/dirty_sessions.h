// The file `unsettled`: which sessions may have changed since all of them were last compared with
// the index. A process that appends names the session here first, and holds the file until it ends;
// so a list looks at these few and believes the index about the others.
#pragma once

#include "core/store/files/named_files.h"
#include "core/text/base.h"

namespace skein::store::home {

class DirtySessions {
 public:
  explicit DirtySessions(files::Files& files) : files_(files) {}

  // Before something is written to it; costs nothing the second time. That it cannot be named is no
  // failure: a list may then be behind, and opening the session never is.
  void note(Id session);

  // Nothing: they cannot be read, or are too many to look at one by one.
  std::optional<std::set<Id>> sessions() const;

  // How long the file is, if no process that named a session is alive: all they wrote can be seen
  // now.
  std::optional<std::uint64_t> finished() const;
  // Everything up to there was looked at, and the index tells it. Nothing goes if more was named.
  void clear(std::uint64_t seen) const;

 private:
  bool take_hold();

  files::Files& files_;
  files::OpenFile file_{};
  std::set<Id> noted_{};
};

// Of the running system. What a power cut took from `unsettled` is not missed: an index of another
// boot is not believed.
std::string boot_id();

}  // namespace skein::store::home
