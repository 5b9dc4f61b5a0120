#include "core/store/children.h"

#include "core/store/session_name.h"

namespace skein::store {

namespace {

using Deed = Result<void> (LifeCycle::*)(Id);

// A child that is gone by now is no reason to leave its parent.
Result<void> do_to_family(SessionStore& store, Id session, Deed deed) {
  for (const SessionRecord& child : children_of(store, session))
    if (const Result<void> done = (store.life_cycle().*deed)(child.header.session);
        !done && done.error().kind != Failure::Kind::gone)
      return done.error();
  return (store.life_cycle().*deed)(session);
}

}  // namespace

std::string child_key(Id session) { return std::string(child_prefix) + to_string(session); }

bool is_child(const SessionRecord& session) {
  return session.header.parent_session && session.key.starts_with(child_prefix);
}

std::map<Id, std::size_t> fold_children(std::vector<SessionRecord>& sessions) {
  std::map<Id, std::size_t> out;
  for (const SessionRecord& each : sessions)
    if (is_child(each)) ++out[each.header.parent_session->session];
  std::erase_if(sessions, &is_child);
  return out;
}

std::vector<SessionRecord> children_of(SessionStore& store, Id session) {
  std::vector<SessionRecord> all = store.list();
  std::erase_if(
      all, [&](const SessionRecord& each) { return !works_for(each.header, each.key, session); });
  std::ranges::sort(all, {}, [](const SessionRecord& each) { return each.header.created_at; });
  return all;
}

Result<void> erase_family(SessionStore& store, Id session) {
  return do_to_family(store, session, &LifeCycle::erase);
}

Result<void> archive_family(SessionStore& store, Id session) {
  return do_to_family(store, session, &LifeCycle::archive);
}

Result<void> unarchive_family(SessionStore& store, Id session) {
  return do_to_family(store, session, &LifeCycle::unarchive);
}

}  // namespace skein::store
