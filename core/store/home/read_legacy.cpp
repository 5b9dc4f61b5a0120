#include "core/store/home/read_legacy.h"

#include <set>
#include <string>
#include <utility>

#include "core/store/log/line_codec.h"

namespace skein::store::home {

namespace {

std::optional<legacy::Session> read_unsealed(const legacy::Lines& lines) {
  if (lines.objects.empty()) return std::nullopt;
  const Json& first = lines.objects.front();
  const Json& header = at(first, "payload");
  if (string_at(first, "type") != model::type::session_header || !header.is_object() ||
      int_at(header, "version") != 0 || first.contains("seal"))
    return std::nullopt;
  legacy::Session out{.form = "unsealed lines",
                      .key = string_at(header, "key"),
                      .cwd = string_at(header, "cwd"),
                      .created_at = string_at(first, "timestamp"),
                      .losses = lines.losses};
  std::set<Id> known;
  std::optional<Id> last;
  for (std::size_t i = 1; i < lines.objects.size(); ++i) {
    std::optional<model::Entry> entry = log::entry_from_json(dump(lines.objects[i]));
    if (!entry || !known.insert(entry->id).second) {
      out.losses.push_back("line " + std::to_string(i + 1) +
                           (entry ? " repeats an id" : " is no entry") + " and was left out");
      continue;
    }
    if (entry->parent && !known.contains(*entry->parent)) entry->parent = last;
    if (!model::is_marginal(entry->type)) last = entry->id;
    out.entries.push_back(std::move(*entry));
  }
  return out;
}

}  // namespace

std::optional<legacy::Session> read_legacy(Id session, std::string_view bytes) {
  std::optional<legacy::Session> found = legacy::read_session(session, bytes);
  return found ? std::move(found) : read_unsealed(legacy::lines_of(bytes));
}

}  // namespace skein::store::home
