#include "repl/pick/hit_lines.h"

#include <algorithm>

#include "core/store/session_name.h"
#include "core/text/amounts.h"
#include "core/text/utf8.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/pick/session_picker.h"

namespace skein::pick {

using layout::painted, layout::sanitized_row;

namespace {

// The bytes of the first so many characters.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  for (; characters > 0 && at < text.size(); --characters)
    at += first_character(text.substr(at)).length;
  return at;
}

std::string marked(const search::Snippet& snippet, const layout::TerminalStyle& look) {
  std::string out;
  std::string_view rest = snippet.text;
  std::size_t done = 0;  // characters
  const auto take = [&](std::size_t until) {
    const std::string_view piece = rest.substr(0, bytes_of(rest, until - done));
    rest.remove_prefix(piece.size());
    done = until;
    return sanitized_row(piece);
  };
  for (const auto& [begin, end] : snippet.offsets) {
    out += take(begin);
    out += painted(take(end), layout::style::strong, look);
  }
  return out + sanitized_row(rest);
}

}  // namespace

std::string hit_heading(const store::SessionRecord& record, std::string_view key,
                        const layout::TerminalStyle& look) {
  const std::string name = store::shown_name(record);
  std::string rest;
  if (name != record.key) rest += " · " + sanitized_row(key);
  const std::string old = age(record.used_at());
  rest += old == "-" ? "" : old == "now" ? " · now" : " · " + old + " ago";
  if (!record.state.model.empty()) rest += " · " + sanitized_row(record.state.model);
  if (record.archived) rest += " · archived";
  return painted(layout::fit(sanitized_row(name), 60), layout::style::place, look) + rest;
}

std::string hit_line(const search::Hit& hit, const layout::TerminalStyle& look) {
  const std::string place = hit.entry ? to_string(*hit.entry).substr(0, 8) : std::string(8, ' ');
  std::string branch;
  if (hit.branch > 0)
    branch =
        "  (branch " + std::to_string(hit.branch) + " of " + std::to_string(hit.branches) + ")";
  return "  " + painted(place, layout::style::dim, look) + "  " +
         layout::padded(std::string(search::name(hit.role)), 9) + "  " + marked(hit.snippet, look) +
         painted(branch, layout::style::dim, look);
}

std::string more_hits(const search::SessionHits& session) {
  const std::size_t more = session.count - std::min(session.count, session.hits.size());
  return more == 0 ? "" : with_separators(more) + " more in this session";
}

}  // namespace skein::pick
