// The text of sessions.json and `last`. Each session is a line of sessions.json: what names and
// lists need is at known places of it, so that it is read as its bytes come in; the rest is parsed
// only if it is asked for.
#pragma once

#include "core/store/files/files.h"
#include "core/store/home/index/index.h"

namespace skein::store::home {

inline constexpr std::uint64_t max_index_bytes = 1u << 30;

using VisitRow = std::function<bool(const IndexRow&)>;
// `begin` is called before the first row, with what is known then.
using VisitFrame = std::function<void(const Index&)>;
// All of the index but its sessions: `visit` is given these. It fails if the file cannot be read;
// `refused`: it is not an index of this version, or not as it was written, or a visit returned
// false. Then what was visited counts for nothing.
Result<Index> scan_index(files::Files& files, const VisitRow& visit, const VisitFrame& begin = {});
Result<Index> read_index(files::Files& files);  // all of it
std::optional<Index> parse_index(std::string_view text);
JsonText print_index(const Index& index);
// JSON that is not an index of any version of skein: another program's.
bool is_foreign_index(std::string_view text);

// `last`: for each workspace the session used last, as an index entry, so that a start reads this
// and nothing else. Advisory, bounded.
struct LastUsed {
  std::string workspace{};
  Id session{};
  IndexEntry entry{};
};
JsonText print_last(const std::vector<LastUsed>& used);
std::vector<LastUsed> parse_last(std::string_view text);

}  // namespace skein::store::home
