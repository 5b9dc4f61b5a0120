// Files of other programs that hold sessions: finding them, looking into them, bringing them in.
#pragma once

#include "core/import/session_import.h"

namespace skein::importers {

struct ImportSource {
  std::string path{};
  const ImportFormat* format = nullptr;
  std::uint64_t bytes = 0;
  std::int64_t modified_ms = 0;
};

// What is looked for: files of one format, or of any.
struct SourceFilter {
  const ImportFormat* format = nullptr;  // only this one
  std::int64_t since_ms = 0;             // only what changed since
};

// Every session's file in a folder and below; links are not followed. `path` may be a file.
std::vector<ImportSource> sources_in(const std::string& path, const SourceFilter& filter);
// Those in the usual places of every program, the one that changed last first.
std::vector<ImportSource> usual_sources(const SourceFilter& filter);
// Whether a file of this name can be one, without opening it.
bool may_hold_sessions(std::string_view name);

// The sessions in a file, without what was said in them. Nothing if it cannot be read.
std::vector<ForeignSession> sessions_in(const ImportSource& source);

// Sources that hold a session about this folder, and the others.
struct ImportOffer {
  std::vector<ImportSource> here{}, elsewhere{};
};
ImportOffer offer_for(const std::string& folder, const std::vector<ImportSource>& sources,
                      const std::function<void()>& looked_into = {});

// Throws Error if the file cannot be read, or nothing can be written.
std::vector<ImportedSession> import_file(store::SessionStore& store, const ImportSource& source,
                                         const ImportOptions& options,
                                         const ReadOptions& reading = {});

// Our sessions that were imported from one of these, under whatever key.
std::vector<store::SessionRecord> imports_of(store::SessionStore& store, const ImportFormat& format,
                                             const std::vector<std::string>& sessions);

}  // namespace skein::importers
