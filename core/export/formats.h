// In which formats a session can be given away: one row for each. To add one, write its file and
// add a row.
#pragma once

#include "core/export/exported_session.h"

namespace skein::exporters {

using Writes = void(const ExportedSession& session, const Sink& sink);

struct ExportFormat {
  std::string_view name;
  std::string_view extension;  // with its dot
  std::string_view help;
  bool branches;  // whether it can show more than one path
  Writes* write;
};

std::span<const ExportFormat> formats();
const ExportFormat* format_named(std::string_view name);
// The first whose extension it is: "talk.md" is Markdown.
const ExportFormat* format_of_file(std::string_view file);
std::string format_names();  // "markdown, html, …"

}  // namespace skein::exporters
