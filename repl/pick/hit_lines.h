// What a search found, as lines for people: the session, and below it who said what, with what fits
// marked.
#pragma once

#include <string>
#include <string_view>

#include "core/search/search.h"
#include "repl/layout/style.h"

namespace skein::pick {

// "fix the lexer · 030405.678-1f2e · 3 days ago · anthropic/…", with as much of its key as it takes
// to name the session there. Safe.
std::string hit_heading(const store::SessionRecord& record, std::string_view key,
                        const layout::TerminalStyle& look);
// "  1f2e3d4c user       …what fits…  (branch 2 of 3)". Safe.
std::string hit_line(const search::Hit& hit, const layout::TerminalStyle& look);
// "12 more in this session"; empty if all are shown.
std::string more_hits(const search::SessionHits& session);

}  // namespace skein::pick
