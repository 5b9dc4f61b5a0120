#include "repl/commands/named_session.h"

#include <algorithm>
#include <utility>

#include "core/store/session_name.h"
#include "repl/session/session.h"

namespace skein::commands {

using store::SessionRecord;

store::Result<SessionRecord> named_session(Session& session, std::string_view name) {
  constexpr std::string_view cut = "…";
  constexpr std::size_t least = 4;
  store::Result<SessionRecord> found = session.store().find(name);
  std::string_view end = name;
  if (end.starts_with(cut)) end.remove_prefix(cut.size());
  if (found || store::is_whole_key(name) || end.size() < least) return found;
  const std::vector<SessionRecord> all = session.store().list();
  const auto ends_so = [&](const SessionRecord& each) { return each.key.ends_with(end); };
  if (std::ranges::count_if(all, ends_so) != 1) return found;
  return *std::ranges::find_if(all, ends_so);
}

}  // namespace skein::commands
