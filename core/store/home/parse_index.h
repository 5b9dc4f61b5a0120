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
// The same of a text whose checksum was looked at elsewhere, or that has none.
std::optional<Index> parse_unchecked(std::string text);
// One session: `row` is its key and what is known of it, as they stand in the text.
std::optional<IndexEntry> parse_index_row(std::string_view row);
// JSON that is no index of ours, of any version: another program's.
bool is_foreign_index(std::string_view text);

std::vector<LastUsed> parse_last(std::string text);

}  // namespace skein::store::home
