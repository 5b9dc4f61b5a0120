// sessions.json read row by row, as its bytes come in: what one name or one page needs of ten
// thousand rows, without a copy of them all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/store/files/files.h"

namespace skein::store::home {

// A row as it is visited, read no further than it is asked for. All of it as JSON spells it.
struct IndexRow {
  std::string_view text{};  // "<key>":{…}
  std::string_view key{};
  std::string_view session() const;

  struct More {
    std::string_view used_at{};
    std::string_view rest{};  // [,"title":"…"],"cwd":"…" and so on
  };
  std::optional<More> more() const;  // nothing: that is not how a row is written
};

struct IndexHead {
  std::int64_t folder_mtime_ns = 0;
  std::string boot{};
  bool lost = false;  // sessions are, whose keys must not be given away
};

// Nothing: it is no index of this version, or not as it was written, or a visit said false; then
// what was visited counts for nothing.
using VisitRow = std::function<bool(const IndexRow&)>;
// `begin` is called before the first row, with what is known then.
using VisitHead = std::function<void(const IndexHead&)>;
std::optional<IndexHead> scan_index(files::Files& files, const VisitRow& visit,
                                    const VisitHead& begin = {});

}  // namespace skein::store::home
