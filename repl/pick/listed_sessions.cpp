#include "repl/pick/listed_sessions.h"

#include <algorithm>
#include <utility>

#include "core/store/children.h"
#include "core/text/text.h"

namespace skein::pick {

using store::SessionRecord;

namespace {

bool is_one_shot(const SessionRecord& record) { return record.key.starts_with("main:print:"); }

// Somebody started skein and left it without a word.
bool is_unused(const SessionRecord& record) {
  return record.state.messages == 0 && record.state.title.empty() && !is_import(record);
}

// The sessions themselves know what their folder is a copy of.
std::string project_at(const std::string& workspace, const std::vector<SessionRecord>& all) {
  const auto found = std::ranges::find_if(all, [&](const SessionRecord& each) {
    return each.header.cwd == workspace && !each.header.project.empty();
  });
  return found == all.end() ? "" : found->header.project;
}

}  // namespace

ListedSessions listed_sessions(std::vector<SessionRecord> all, const ListWish& wish) {
  ListedSessions out;
  const std::string project =
      wish.which == Listing::here ? project_at(wish.workspace, all) : std::string{};
  for (SessionRecord& each : all) {
    if (!wish.fits(each)) continue;
    const bool current = each.header.session == wish.current;
    if (!current && wish.which != Listing::all) {
      if (store::is_child(each) || is_unused(each)) continue;
      if (wish.which == Listing::archived && !each.archived) continue;
    }
    if (!current && wish.which == Listing::here) {
      const bool same_project = !project.empty() && each.header.project == project;
      std::size_t* const count = each.header.cwd != wish.workspace && !same_project ? &out.elsewhere
                                 : each.archived                                    ? &out.archived
                                 : is_one_shot(each)                                ? &out.one_shots
                                                                                    : nullptr;
      if (count != nullptr) {
        ++*count;
        continue;
      }
    }
    out.shown.push_back(std::move(each));
  }
  return out;
}

std::string left_out_text(const ListedSessions& listed) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) parts.push_back(std::to_string(count) + what);
  };
  add(listed.elsewhere, " in other folders");
  add(listed.one_shots, " made by -p");
  add(listed.archived, " archived");
  return skein::listed(parts);
}

}  // namespace skein::pick
