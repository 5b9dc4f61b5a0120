// What came of an import, for programs and for people.
#pragma once

#include "core/import/import_files.h"

namespace skein::importers {

struct ImportedFile {
  ImportSource source{};
  std::vector<ImportedSession> sessions{};
  std::string trouble{};  // why it could not be read
};

// {files: [{file, format, sessions: [{key, id, entries, new, losses: […]}]}]}
JsonText report_json(const std::vector<ImportedFile>& files);
// A line for each session (of many only some), what was not taken over, and the sum; without a
// newline at its end. Not yet safe for a terminal.
std::string report_text(const std::vector<ImportedFile>& files, bool dry_run);
// "3 sessions of Claude Code and 1 of Codex".
std::string counted_by_agent(const std::vector<ImportSource>& sources);

}  // namespace skein::importers
