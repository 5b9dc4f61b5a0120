// skein sessions pin, unpin, ttl, archive --older-than, list --trash; skein snapshots.
#include <algorithm>

#include "app/home.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/model/redaction.h"
#include "core/store/expiry.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/when.h"

namespace skein::verbs {

using store::Expired, store::Expiring, store::SessionRecord, store::SessionStore;
using store::value_or_throw;

namespace {

int set_pinned(const app::Invocation& invocation, bool pinned) {
  SessionStore store = app::open_store(invocation);
  const SessionRecord record = value_or_throw(store.find(invocation.arguments.at(0)));
  const Id session = record.header.session;
  if (value_or_throw(store.open(session)).state.pinned != pinned) {
    value_or_throw(store.pin(session, pinned));
    store.remember(session, "");
  }
  print_answer(invocation, dump({{"key", record.key}, {"pinned", pinned}}),
               record.key + (pinned ? " is pinned: it is never archived or thrown away unasked"
                                    : " is no longer pinned"));
  return 0;
}

void print_snapshots(const app::Invocation& invocation, SessionStore& store,
                     const SessionRecord& record) {
  Json all = Json::array();
  std::string lines;
  for (const auto& [name, entry] : record.state.snapshots) {
    const auto found = store.load_entry(record.header.session, entry);
    const std::string preview =
        found ? model::preview(model::masked(*found, record.state.redacted), 60) : "";
    all.push_back({{"name", name}, {"entryId", to_string(entry)}, {"preview", preview}});
    lines += (lines.empty() ? "" : "\n") + name + "  " + to_string(entry) + "  " + preview;
  }
  print_answer(invocation, dump(all),
               lines.empty() ? record.key + " has no snapshots; /snapshot takes one" : lines);
}

}  // namespace

int pin_session(const app::Invocation& invocation) { return set_pinned(invocation, true); }
int unpin_session(const app::Invocation& invocation) { return set_pinned(invocation, false); }

int set_session_ttl(const app::Invocation& invocation) {
  const std::string& given = invocation.arguments.at(1);
  const std::string age = given == "none" ? "" : given;
  if (!age.empty() && !duration_ms(age))
    throw Error("'" + given + "' is no length of time; say 12h, 30d, 8w or none",
                ExitStatus::usage);
  SessionStore store = app::open_store(invocation);
  const SessionRecord record = value_or_throw(store.find(invocation.arguments.at(0)));
  const Id session = record.header.session;
  value_or_throw(store.open(session));
  value_or_throw(store.set_ttl(session, age));
  store.remember(session, "");
  print_answer(invocation, dump({{"key", record.key}, {"ttl", age.empty() ? Json() : Json(age)}}),
               record.key + (age.empty() ? " has no time of its own any more"
                                         : " goes to the trash when it is unused for " + age +
                                               "; you are told before"));
  return 0;
}

int list_trash(const app::Invocation& invocation) {
  SessionStore store = app::open_store(invocation);
  const std::vector<store::TrashedSession> all = value_or_throw(store.trash());
  if (invocation.has("--json")) {
    Json out = Json::array();
    for (const store::TrashedSession& each : all)
      out.push_back({{"key", each.key},
                     {"id", to_string(each.session)},
                     {"title", each.title},
                     {"message_count", each.messages},
                     {"updated_at", each.used_at},
                     {"deleted_at", utc_from_ms(each.thrown_away_ms)},
                     {"bytes", each.bytes}});
    print_json(dump(out));
    return 0;
  }
  if (all.empty()) print_line("the trash is empty");
  std::size_t width = 0;
  for (const store::TrashedSession& each : all) width = std::max(width, each.key.size());
  for (const store::TrashedSession& each : all)
    print_line(pad(each.key, width) + "  " + to_string(each.session).substr(0, 8) + "  deleted " +
               utc_from_ms(each.thrown_away_ms).substr(0, 16) + "  " +
               counted(static_cast<std::size_t>(each.messages), "message") + "  " + each.title);
  return 0;
}

int archive_unused(const app::Invocation& invocation) {
  if (!invocation.arguments.empty())
    throw Error("--older-than means all that old; leave the session out", ExitStatus::usage);
  const std::string text = invocation.value("--older-than");
  const std::optional<std::int64_t> age = duration_ms(text);
  if (!age)
    throw Error("'" + text + "' is no length of time; say 12h, 30d or 8w", ExitStatus::usage);
  const bool only_look = invocation.has("--dry-run");
  SessionStore store = app::open_store(invocation);
  std::vector<SessionRecord> sessions = store.list();
  // What a session was told to become of it is not meant here.
  for (SessionRecord& record : sessions) record.state.ttl.clear();
  Json keys = Json::array();
  for (const Expiring& each : store::expiring(sessions, {.archive_after_ms = age}, now_ms())) {
    if (!only_look && value_or_throw(store::expire(store, each)) != Expired::done) continue;
    keys.push_back(each.record.key);
    if (!invocation.has("--json"))
      print_line((only_look ? "would archive " : "archived ") + each.record.key + ", last used " +
                 each.record.used_at());
  }
  if (invocation.has("--json"))
    print_json(dump({{only_look ? "would_archive" : "archived", keys}}));
  else if (keys.empty())
    print_line("no session is that old; pinned and labelled ones are left alone");
  return 0;
}

int session_snapshots(const app::Invocation& invocation) {
  SessionStore store = app::open_store(invocation);
  const SessionRecord found = value_or_throw(store.find(invocation.arguments.at(0)));
  const Id session = found.header.session;
  const SessionRecord record = value_or_throw(store.open(session));
  if (invocation.arguments.size() == 1) {
    print_snapshots(invocation, store, record);
    return 0;
  }
  if (invocation.arguments[1] != "delete" || invocation.arguments.size() != 3)
    throw Error("say `skein snapshots KEY`, or `skein snapshots KEY delete NAME`",
                ExitStatus::usage);
  const std::string& name = invocation.arguments[2];
  value_or_throw(store.delete_snapshot(session, name));
  store.remember(session, "");
  print_answer(invocation, dump({{"key", record.key}, {"deleted", name}}),
               "snapshot " + name + " is gone; the entries are kept");
  return 0;
}

}  // namespace skein::verbs
