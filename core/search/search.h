// Search over all sessions: titles, prompts, answers, thinking, what tools were given and gave, on
// every branch. No index: files are read, the newest session first, and only lines that may fit are
// looked into.
#pragma once

#include "core/search/matcher.h"
#include "core/search/passages.h"
#include "core/search/query.h"
#include "core/store/session_store.h"

namespace skein::search {

// Which entries count.
struct Filter {
  std::optional<Id> session{}, except{};  // only this one; not this one
  std::string cwd{};                      // sessions made in this folder or below
  std::optional<Role> role{};
  std::string tool{};            // what it was given and gave
  std::string model{};           // part of provider/model: what it said
  std::string since{}, until{};  // timestamps
  bool errors = false;           // failures only
  bool active_branch = false;    // what leads to the head only
  bool blobs = false;            // large outputs as well

  bool about_entries() const {
    return role || !tool.empty() || !model.empty() || !since.empty() || !until.empty() || errors;
  }
};

struct Request {
  Query query{};
  Filter filter{};
  std::size_t limit = 20;       // hits altogether
  std::size_t per_session = 3;  // of the newest first; ranked there may be more
  std::size_t snippet_characters = 160;
  const std::atomic<bool>* stop = nullptr;
  // Called in the thread of the caller, a few dozen times a second while others look: how many
  // sessions were looked through, of how many. False stops the search.
  std::function<bool(std::size_t looked_through, std::size_t sessions)> progress{};
};

struct Hit {
  Id session{};
  std::string key{};
  std::optional<Id> entry{};  // none: it is in the session's title
  Role role = Role::user;
  std::string time{};
  bool branch_active = true;
  std::size_t branch = 0, branches = 1;  // of which it is on, from 1; 0: there is only one
  Snippet snippet{};
  double score = 0;
};

// What one session has.
struct SessionHits {
  const store::SessionRecord* record = nullptr;  // valid while it is reported
  std::size_t count = 0;                         // entries that fit; at least those below
  std::vector<Hit> hits{};                       // the best, best first
};

struct Outcome {
  std::size_t found = 0;               // entries, as far as sessions were looked through
  std::size_t sessions = 0;            // that have some
  bool complete = true;                // all were looked through
  std::vector<std::string> trouble{};  // why some sessions could not be read
};

// The newest session first, as they are found, until `each` returns false, or as many were given as
// were asked for.
Outcome search_newest(store::SessionStore& store, const Request& request,
                      const std::function<bool(const SessionHits&)>& each);

struct Ranked {
  std::vector<Hit> hits{};
  Outcome outcome{};
};
// Through all of them, best first.
Ranked search_ranked(store::SessionStore& store, const Request& request);

}  // namespace skein::search
