// Who is at work in which session of a home folder. The lock says that somebody is; a small file,
// work/<session>.<process>, says who, for people. Never needed for anything else.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/store/home/home.h"

namespace skein::store::home {

// Written when it is made, removed with it. What a crash leaves behind is passed over.
class WorkNote {
 public:
  WorkNote(std::shared_ptr<Home> home, Id session);
  ~WorkNote();
  WorkNote(const WorkNote&) = delete;
  WorkNote& operator=(const WorkNote&) = delete;

 private:
  std::shared_ptr<Home> home_;
  std::string path_;
};

// Which of these somebody holds, and who, as far as that was noted.
std::map<Id, std::string> noted_workers(Home& home, std::span<const Id> sessions);

}  // namespace skein::store::home
