// In which formats a session can be given away: one row for each. To add one is to write a pair of
// files and to add a row.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

struct Format {
  std::string_view name;
  std::string_view extension;  // with its dot
  std::string_view help;
  bool branches;  // whether it can show more than one path
  void (*write)(const ExportedSession& session, const Sink& sink);
};

std::span<const Format> formats();
const Format* format_named(std::string_view name);
// The first whose extension it is: "talk.md" is Markdown.
const Format* format_of_file(std::string_view file);
std::string format_names();  // "markdown, html, …"

}  // namespace skein::exchange::exporters
