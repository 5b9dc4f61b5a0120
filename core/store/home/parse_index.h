// sessions.json and `last`, read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/home/index.h"

namespace skein::store::home {

// nullopt: not an index of this version.
std::optional<Index> parse_index(std::string text);
// One session of it, without reading the others.
struct IndexRow {
  IndexEntry entry{};
  std::int64_t folder_mtime_ns = 0;
};
std::optional<IndexRow> parse_index_row(std::string_view text, std::string_view key);
// JSON that is no index of ours, of any version: another program's.
bool is_foreign_index(std::string_view text);

std::vector<LastUsed> parse_last(std::string text);

}  // namespace skein::store::home
