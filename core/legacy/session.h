// Sessions in the forms tutorials and small programs keep them in, which were skein's once: flat
// lines, one JSON file. Read into entries; nothing here writes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/entry.h"
#include "core/text/json.h"

namespace skein::legacy {

struct Session {
  std::string form{};  // its name: "flat lines", "one JSON file"
  std::string key{};   // may be empty
  std::string cwd{};
  std::string created_at{};
  std::vector<model::Entry> entries{};  // parents before their children
  std::vector<std::string> blobs{};     // bytes they refer to
  std::vector<std::string> losses{};    // what could not be taken over, a sentence each
};

// The objects of a file of lines, none if it does not begin with one.
struct Lines {
  std::vector<Json> objects{};
  std::vector<std::string> losses{};  // damaged ones, a sentence each
};
Lines lines_of(std::string_view bytes);

// One JSON file, or flat lines with their header. nullopt: neither. The same bytes give the same
// entries, ids included.
std::optional<Session> read_session(Id session, std::string_view bytes);
// Flat lines, with a header or without one.
Session read_flat_lines(Id session, const Lines& lines);

}  // namespace skein::legacy
