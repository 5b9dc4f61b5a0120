// Sessions in older forms become transcripts: a new file, whole and synced, takes the old one's
// place, and the old one is set aside. Of both, the finished one counts.
#pragma once

#include "core/legacy/session.h"
#include "core/store/home/home.h"

namespace skein::store::home {

// Reads a session in an older form: one of core/legacy, or skein's lines before they were sealed.
// nullopt: none of them. The same bytes give the same entries, ids included.
std::optional<legacy::Session> read_legacy(Id session, std::string_view bytes);

// For the user: what was done, and a line for each loss.
std::vector<std::string> report_of(const MigrationResult& migrated);

// If it fails, the session stays as it is and is not written to.
Result<MigrationResult> migrate(Home& home, Id session);
// The session in an older form with this key or id; `gone`: there is none.
Result<MigrationResult> migrate_called(Home& home, std::string_view name);
Result<std::vector<MigrationResult>> migrate_all(Home& home);  // that can be
std::size_t older_forms(Home& home);                           // how many these would be
// Which older form a file among the transcripts has; empty: none.
std::string older_form(files::Files& files, const std::string& name);

}  // namespace skein::store::home
