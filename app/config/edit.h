// Changes to the user's configuration file that skein makes itself: whole tables, put at its end or
// taken out; everything else in it stays as it is, byte by byte.
#pragma once

#include <string>

#include "core/mcp/server_entry.h"

namespace skein::config {

// `text` with a table for this server at its end.
std::string with_server(const std::string& text, const mcp::ServerEntry& entry);
// `text` without the tables of this server; unchanged if they are not written as tables.
std::string without_server(const std::string& text, const std::string& name);

// Puts the text there, all of it or nothing, readable by the user only if the file is new. Throws
// Error (storage).
void write_config(const std::string& file, const std::string& text);

}  // namespace skein::config
