// One session examined: whether it is as it was written, and where it is not, to the byte.
#pragma once

#include <string>
#include <vector>

#include "core/store/session_store.h"

namespace skein::store::home {
class Home;
}  // namespace skein::store::home

namespace skein::doctor {

struct SessionReport {
  bool ok = true;
  JsonText facts{};  // an object: key, id, bytes, ok, entries, altered, broken, uncommitted, …
  std::vector<std::string> lines{};  // for people: "ok       KEY …", or "damaged  KEY …" and where
};

// `home` is null where sessions are in a database: nothing is ever set aside there.
SessionReport examine(store::home::Home* home, store::SessionStore& store,
                      const store::SessionRecord& record);

}  // namespace skein::doctor
