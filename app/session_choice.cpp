#include "app/session_choice.h"

#include <algorithm>
#include <optional>

#include "app/home.h"
#include "core/store/children.h"
#include "core/store/session_name.h"
#include "core/text/text.h"

namespace skein::app {

using store::fresh_key, store::SessionRecord, store::SessionStore, store::value_or_throw;

namespace {

ChosenSession make(SessionStore& store, const std::string& key, const std::string& workspace,
                   const std::string& title = {}) {
  return {value_or_throw(store.create_session({.key = key, .cwd = workspace, .title = title}))
              .session_id,
          false};
}

ChosenSession matching(SessionStore& store, const std::string& text) {
  const std::vector<SessionRecord> found = sessions_with(store, text);
  if (found.size() == 1) return {found.front().header.session, true};
  if (found.empty()) throw Error("no session matches '" + text + "'", ExitStatus::no_session);
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 20); ++i)
    list += "\n  " + found[i].key + "  " + found[i].state.title;
  throw Error(std::to_string(found.size()) + " sessions match; name one with -s:" + list,
              ExitStatus::no_session);
}

const std::string& title_of(const SessionRecord& record) { return record.state.title; }

bool is_for_people(const SessionRecord& record) {
  return !record.key.starts_with("main:print:") && !store::is_child(record);
}

// The session of the same project that was used last, if it was begun in another folder, maybe on
// another machine, and the user wants to go on with it. Asked once: from then on one of them has
// been used here.
std::optional<Id> from_another_folder(SessionStore& store, const std::string& workspace,
                                      const OfferSession& offer) {
  const std::string project = offer ? project_of(workspace) : "";
  if (project.empty()) return std::nullopt;
  for (const SessionRecord& record : store.list({.project = project}))
    if (is_for_people(record) && record.state.messages > 0)
      return offer(record) ? std::optional(record.header.session) : std::nullopt;
  return std::nullopt;
}

// The session used last here, or the first one.
ChosenSession last_or_default(SessionStore& store, const std::string& workspace,
                              const OfferSession& offer) {
  if (const auto last = store.last_used(workspace)) return {*last, true};
  // `last` is only a hint: the sessions themselves know where they were made. One that was brought
  // in from elsewhere counts if there is none of our own.
  const std::vector<SessionRecord> here = store.list({.cwd = workspace});
  for (const bool imported : {false, true})
    for (const SessionRecord& record : here)
      if (is_for_people(record) && record.state.origin.empty() != imported)
        return {record.header.session, true};
  if (const auto other = from_another_folder(store, workspace, offer)) return {*other, true};
  const bool taken = bool(store.find(store::default_key));
  return make(store, taken ? fresh_key("main:cli") : std::string(store::default_key), workspace);
}

}  // namespace

std::vector<SessionRecord> sessions_with(SessionStore& store, const std::string& text) {
  if (store::is_whole_key(text)) {
    store::Result<SessionRecord> one = store.find(text);
    if (!one && one.error().kind == store::Failure::Kind::gone) return {};
    return {value_or_throw(std::move(one))};
  }
  std::vector<SessionRecord> all = store.list(), found;
  // What a user is shown as a session's name opens that session, although others contain it.
  if (const auto titled = std::ranges::find(all, text, &title_of);
      titled != all.end() && std::ranges::count(all, text, &title_of) == 1)
    return {*titled};
  for (SessionRecord& record : all)
    if (lower(record.key + " " + record.state.title + " " + to_string(record.header.session))
            .find(lower(text)) != std::string::npos)
      found.push_back(std::move(record));
  return found;
}

ChosenSession choose_session(SessionStore& store, const Invocation& invocation,
                             const std::string& workspace, const OfferSession& offer) {
  ChosenSession chosen;
  if (invocation.no_session) {
    chosen = make(store, fresh_key("main:memory"), workspace);  // no key another session may have
  } else if (!invocation.session.empty()) {
    const store::FoundSession found =
        value_or_throw(store.find_or_create(invocation.session, [&] { return workspace; }));
    chosen = {found.session, !found.made};
    if (invocation.print)
      chosen.remember = !value_or_throw(store.open(found.session)).key.starts_with("main:print:");
  } else if (invocation.new_session) {
    chosen = make(store, fresh_key("main:cli"), workspace, *invocation.new_session);
  } else if (invocation.resume) {
    chosen = matching(store, *invocation.resume);
  } else if (invocation.print && !invocation.continue_last && !invocation.fork) {
    chosen = make(store, fresh_key("main:print"), workspace);
    chosen.remember = false;
  } else {
    chosen = last_or_default(store, workspace, offer);
  }
  if (!invocation.fork) return chosen;
  const SessionRecord record = value_or_throw(store.open(chosen.session));
  if (!record.state.head) return chosen;
  return {value_or_throw(store.branch_from_entry(chosen.session, *record.state.head)).session_id,
          true};
}

}  // namespace skein::app
