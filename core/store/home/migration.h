// Sessions in older forms become transcripts: a new file, whole and synced, takes the old one's
// place, and the old one is set aside. Of both, the finished one counts.
#pragma once

#include <string>
#include <vector>

#include "core/store/home/home.h"

namespace skein::store::home {

// A session that was in an older form, and is not any more.
struct MigrationResult {
  Id session{};
  std::string form{};  // the one it had; empty: it was up to date
  std::size_t entries = 0;
  std::string old_file{};             // where the old file is kept now
  std::vector<std::string> losses{};  // what could not be taken over
};

// If it fails, the session stays as it is and is not written to.
Result<MigrationResult> migrate(Home& home, Id session);
Result<std::vector<MigrationResult>> migrate_all(Home& home);  // that can be
std::size_t older_forms(Home& home);                           // how many these would be
// Which older form a file among the transcripts has; empty: none.
std::string older_form(files::Files& files, const std::string& name);

}  // namespace skein::store::home
