// Sessions in the forms tutorials and small programs keep them in, which were skein's once: flat
// lines, one JSON file. Read into entries; nothing here writes.
#pragma once

#include "core/model/entry.h"
#include "core/text/json.h"

namespace skein::legacy {

// What is read of a session.
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

// 1767323045, 1767323045678 or an ISO time, as we write it; empty if it is none of these.
std::string time_of(const Json& value);
// The first of these members that is there.
const Json& first_of(const Json& object, std::initializer_list<const char*> keys);

}  // namespace skein::legacy
