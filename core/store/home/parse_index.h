// sessions.json and `last`, read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/home/index.h"

namespace skein::store::home {

// nullopt: not an index of this version.
std::optional<Index> parse_index(std::string text);
// The same of a text whose checksum was looked at elsewhere, or that has none.
std::optional<Index> parse_unchecked(std::string text);
// One session: `row` is its key and what is known of it, as they stand in the text.
std::optional<IndexEntry> parse_index_row(std::string_view row);
// What a session is called by, of every session and of nothing else in the index; the texts last as
// long as the call. The folder_mtime_ns of the index; nullopt: not an index of this version.
struct IndexName {
  std::string_view key{}, title{}, used_at{};
  Id session{};
  std::int64_t messages = 0;
  bool archived = false;
};
std::optional<std::int64_t> visit_index_names(std::string text,
                                              const std::function<void(const IndexName&)>& visit);
// JSON that is no index of ours, of any version: another program's.
bool is_foreign_index(std::string_view text);

std::vector<LastUsed> parse_last(std::string text);

}  // namespace skein::store::home
