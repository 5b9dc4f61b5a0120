// What one asks of an export, at the command line and at the prompt: `[format] [file] [flags]`.
#pragma once

#include "core/export/formats.h"
#include "core/export/session_source.h"

namespace skein::exporters {

struct ExportRequest {
  const ExportFormat* format = nullptr;
  std::string file{};    // empty: none was named
  std::string branch{};  // an entry as the user names it; empty: none
  bool all_branches = false;
  bool redact_secrets = false;
  ExportOptions show{};
};

// The words of `/export`. The file's ending decides where no format is named; throws Error if that
// does not tell, or if a word means nothing.
ExportRequest read_request(std::span<const std::string_view> words);
// The same rules for what was given by name. Throws Error, with wrong usage as its status.
void settle(ExportRequest& request, std::string_view format);

// The name of a file that the user did not name: "main-cli-user.html".
std::string file_name_for(std::string_view key, const ExportFormat& format);
// Writes it to the file that was named, or to a new one; a name that is not absolute is meant from
// `folder`, or from the current one if that is empty. A sentence about it.
std::string write_to_file(const ExportRequest& request, const ExportedSession& session,
                          const std::string& folder = {});

}  // namespace skein::exporters
