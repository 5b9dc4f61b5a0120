// How a user names an entry of the open session: the beginning of its id, or `#n` for the n-th of
// their messages on this branch.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/base.h"
#include "repl/commands/handlers.h"

namespace skein::commands {

std::string short_id(Id id);   // as entries are shown
Id head_of(Session& session);  // throws Error if nothing has been said yet
Id entry_named(Session& session, std::string_view name);  // throws Error if there is none
// A number from 1, as in "the n-th last"; nullopt: it is none.
std::optional<std::size_t> number_in(std::string_view text);
// Whether a snapshot of that name may mark this entry; asks if another one has the name.
bool may_take_name(Session& session, const std::string& snapshot, Id entry);
// Those that begin with `start`, for Tab; `name_of` makes a name of an element.
template <class Range, class NameOf>
std::vector<std::string> names_from(const Range& range, std::string_view start, NameOf name_of) {
  std::vector<std::string> out;
  for (const auto& each : range)
    if (std::string name(std::invoke(name_of, each)); name.starts_with(start))
      out.push_back(std::move(name));
  return out;
}
std::vector<std::string> entry_names(Session& session, std::string_view start);
// How each of them begins.
void describe_entries(Session& session, std::vector<prompt::Choice>& choices);

}  // namespace skein::commands
