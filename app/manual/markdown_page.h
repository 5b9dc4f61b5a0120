// A document in Markdown as a manual page: of it as much as our own documents use.
#pragma once

#include <string_view>

#include "app/manual/roff.h"

namespace skein::manual {

// Headings, paragraphs, lists, tables and code; what stands before the first heading of a section
// becomes the DESCRIPTION. The title is left out: the page has a name.
void add_markdown(Roff& page, std::string_view document);
// Of "# The home, byte by byte": "the home, byte by byte".
std::string title_of(std::string_view document);

}  // namespace skein::manual
