// Who is at work in which session of a home folder, and who has it open. A lock says that a process
// is there; a small file, work/<session>.<process> or open/<session>.<process>, says who, for
// people. Never needed for anything else.
#pragma once

#include <sys/types.h>

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

// Takes the session's place in a lock file, at once or `busy`. One that is shared is noted, and the
// note is removed with it. What a crash leaves behind is passed over, until a repair cleans up.
Result<SessionLease> hold_place(std::shared_ptr<files::Files> home, const presence::Place& place,
                                Id session, LockMode mode);

struct Present {
  std::string who{};  // see who_we_are()
  pid_t process = 0;  // on their machine
};

// Which of these are held, and by whom, as far as that was noted.
std::map<Id, std::vector<Present>> present(files::Files& home, const presence::Place& place,
                                           std::span<const Id> sessions);

// The files that processes of this machine left there when they crashed.
std::vector<std::string> notes_of_the_dead(files::Files& home);

// Marks that we have a session open, for as long as it lives. It locks no process out, and nothing
// depends on it. Null: it could not be marked.
SessionLease keep_open(const std::shared_ptr<files::Files>& home, Id session);
// Who has it open, for people: "pts/3, process 4711". Empty: no process that we know of.
std::string open_by(files::Files& home, Id session);

}  // namespace skein::store::home
