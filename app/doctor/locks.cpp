// Who is at work: the locks of work.lock, which say in which sessions a turn runs, and that of the
// index, which nobody should hold for long. Looks at them without taking the former.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/doctor/checks.h"
#include "app/doctor/lock_holders.h"
#include "core/store/files/files.h"
#include "core/text/fd.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::doctor {

namespace {

std::string session_at(std::uint64_t place, std::span<const store::SessionRecord> sessions) {
  const auto found = std::ranges::find_if(sessions, [&](const store::SessionRecord& record) {
    return store::files::lock_offset(record.header.session.value) == place;
  });
  return found == sessions.end() ? "a session that is not listed" : found->key;
}

// A change of the index takes milliseconds; for a second nobody needs it.
bool is_held_for_long(const Fd& index) {
  for (int tries = 0; tries < 20; ++tries) {
    if (flock(index.get(), LOCK_SH | LOCK_NB) == 0) return flock(index.get(), LOCK_UN) != 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

Fd open_lock(const Surroundings& here, const char* name) {
  return Fd(open((here.home + "/" + name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

}  // namespace

Finding look_at_locks(const Surroundings& here) {
  Finding found;
  Json held = Json::array();
  std::vector<std::string> keys;
  if (const Fd work = open_lock(here, "work.lock")) {
    for (const std::uint64_t place : store::files::held_places(work.get())) {
      const std::string key = session_at(place, here.sessions);
      const LockHolder holder = holder_of(work.get(), place);
      keys.push_back(key + " (" + described(holder) + ")");
      held.push_back({{"session", key},
                      {"process", holder.process > 0 ? Json(holder.process) : Json(nullptr)},
                      {"stopped", holder.stopped}});
      if (holder.stopped)
        found.problems.push_back(key + " is at work in process " + std::to_string(holder.process) +
                                 ", which is stopped: `fg` in its terminal goes on, `kill -CONT " +
                                 std::to_string(holder.process) + "` as well");
    }
  }
  const Fd index = open_lock(here, "index.lock");
  const bool stuck = index && is_held_for_long(index);
  if (stuck) {
    const LockHolder holder = holder_of(index.get());
    found.problems.push_back("the index of sessions has been locked for a second by " +
                             described(holder) +
                             ": nothing can be made or renamed until that ends");
  }
  found.note = keys.empty() ? "nobody is at work in a session" : "at work: " + listed(keys);
  found.facts = dump({{"at_work", std::move(held)}, {"index_locked", stuck}});
  return found;
}

}  // namespace skein::doctor
