// Who is at work in which session of a home folder, and who has it open. A lock says that somebody
// is there; a small file, work/<session>.<process> or open/<session>.<process>, says who, for
// people. Never needed for anything else.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/store/files/files.h"
#include "core/store/lease.h"
#include "core/text/base.h"

namespace skein::store::home {

namespace presence {

// Where it is said.
struct Place {
  const char* lock;
  const char* notes;
};
inline constexpr Place at_work{"work.lock", "work"}, open{"open.lock", "open"};

}  // namespace presence

// Written when it is made, removed with it. What a crash leaves behind is passed over, until
// somebody cleans up.
class PresenceNote {
 public:
  PresenceNote(std::shared_ptr<files::Files> home, const presence::Place& place, Id session);
  ~PresenceNote();
  PresenceNote(const PresenceNote&) = delete;
  PresenceNote& operator=(const PresenceNote&) = delete;

 private:
  std::shared_ptr<files::Files> home_;
  std::string path_;
};

struct Present {
  std::string who{};  // see who_we_are()
  pid_t process = 0;  // on their machine
};

// Which of these somebody holds, and who, as far as that was noted.
std::map<Id, std::vector<Present>> present(files::Files& home, const presence::Place& place,
                                           std::span<const Id> sessions);

// The files that processes of this machine left there when they crashed.
std::vector<std::string> notes_of_the_dead(files::Files& home);

// Says that we have a session open, for as long as it lives. It keeps nobody out, and nothing
// depends on it. Null: others cannot be told.
SessionLease keep_open(const std::shared_ptr<files::Files>& home, Id session);
// Who has it open, for people: "pts/3, process 4711". Empty: nobody that we know of.
std::string open_by(files::Files& home, Id session);

}  // namespace skein::store::home
