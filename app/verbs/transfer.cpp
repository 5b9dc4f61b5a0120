// skein sessions push and pull: sessions from this home to another, or from there to here. A home
// is a folder or a database; drafts, histories and caches stay where they are.
#include "core/store/transfer/transfer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/home.h"
#include "app/verbs/output.h"
#include "app/verbs/progress.h"
#include "app/verbs/subcommands.h"
#include "core/store/session_name.h"
#include "core/text/amounts.h"
#include "core/text/json.h"

namespace skein::verbs {

using store::SessionRecord;
using store::StorageBackend;
using store::value_or_throw;
using store::transfer::Moved;

namespace {

std::vector<SessionRecord> chosen_sessions(const app::Invocation& invocation,
                                           StorageBackend& from) {
  const bool all = invocation.has("--all");
  if (all == !invocation.arguments.empty())
    throw Error("say which sessions, or --all", ExitStatus::usage);
  std::vector<SessionRecord> sessions = value_or_throw(from.list());
  if (all) return sessions;
  std::vector<SessionRecord> out;
  for (const std::string& name : invocation.arguments)
    out.push_back(*value_or_throw(store::session_called(sessions, name)));
  return out;
}

std::string told(const Moved& moved) {
  const std::string entries = counted(moved.entries, "entry", "entries");
  switch (moved.how) {
    case Moved::How::whole: return "brought whole, " + entries;
    case Moved::How::extended: return entries + " more";
    case Moved::How::branched:
      return entries + " as a branch, since it had gone on there as well; the head stays";
    case Moved::How::unchanged: break;
  }
  return "nothing new";
}

constexpr const char* names_of_how[] = {"whole", "extended", "branched", "unchanged"};

// Each session by itself: one that cannot be moved keeps back no other. The worst status there was.
int move_all(const app::Invocation& invocation, StorageBackend& from, StorageBackend& to) {
  const std::vector<SessionRecord> sessions = chosen_sessions(invocation, from);
  std::uint64_t bytes = 0;
  for (const SessionRecord& session : sessions) bytes += session.bytes;
  Progress progress("moving", bytes, Progress::Unit::bytes);
  Json out = Json::array();
  int status = 0;
  for (const SessionRecord& session : sessions) {
    const store::Result<Moved> moved = store::transfer::move_session(
        from, to, session, {.step = [&](std::uint64_t step) { progress.step(step); }});
    from.close(session.header.session);
    to.close(session.header.session);
    Json row = {{"key", session.key}, {"id", to_string(session.header.session)}};
    if (moved) {
      row["how"] = names_of_how[static_cast<std::size_t>(moved->how)];
      row["entries"] = moved->entries;
    } else {
      row["error"] = moved.error().text;
      status = std::max(status, static_cast<int>(exit_status_of(moved.error())));
    }
    out.push_back(row);
    if (invocation.has("--json")) continue;
    progress.end();
    if (moved)
      print_line(session.key + "  " + told(*moved));
    else
      tell_user(session.key + "  " + moved.error().text);
  }
  progress.end();
  if (invocation.has("--json")) print_json(dump(out));
  if (!invocation.has("--json") && sessions.empty()) print_line("no sessions to move");
  return status;
}

std::string other_home(const app::Invocation& invocation, const char* flag) {
  const std::string home = invocation.value(flag);
  if (home.empty())
    throw Error(std::string("say ") + flag + " HOME: a folder, or postgresql://USER@HOST/DATABASE",
                ExitStatus::usage);
  if (app::is_in_home(invocation, home))
    throw Error(home + " is this home, or lies in it", ExitStatus::usage);
  return home;
}

}  // namespace

int push_sessions(const app::Invocation& invocation) {
  const std::string home = other_home(invocation, "--to");
  const auto from = app::open_backend(app::home_given(invocation)), to = app::open_backend(home);
  return move_all(invocation, *from, *to);
}

int pull_sessions(const app::Invocation& invocation) {
  const std::string home = other_home(invocation, "--from");
  const auto from = app::open_backend(home), to = app::open_backend(app::home_given(invocation));
  return move_all(invocation, *from, *to);
}

}  // namespace skein::verbs
