// Sessions as they were kept before this format: lines without seals, the flat lines of a tutorial,
// one JSON file. Read into entries; nothing here writes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/entry.h"

namespace skein::store::home {

struct LegacySession {
  std::string form{};  // its name: "unsealed lines", "flat lines", "one JSON file"
  std::string key{};   // may be empty
  std::string cwd{};
  std::string created_at{};
  std::vector<model::Entry> entries{};  // parents before their children
  std::vector<std::string> blobs{};     // bytes they refer to
  std::vector<std::string> losses{};    // what could not be taken over, a sentence each
};

// nullopt: none of them. The same bytes give the same entries, ids included.
std::optional<LegacySession> read_legacy(Id session, std::string_view bytes);

}  // namespace skein::store::home
