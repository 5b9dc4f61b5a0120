// skein doctor: what is damaged, where, to the byte, and what else may be in the way. Looks only;
// the next append repairs a torn tail by itself, and nothing else is ever repaired without
// --repair.
#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "app/doctor/checks.h"
#include "app/doctor/requests.h"
#include "app/setup/home.h"
#include "app/setup/load_config.h"
#include "app/setup/model_access.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/store/home/file_backend.h"
#include "core/store/home/home.h"
#include "core/store/home/maintenance/repair.h"
#include "core/store/home/migration.h"
#include "core/store/session_store.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "providers/discovery/model_cache.h"
#include "providers/keys.h"

namespace skein::verbs {

using store::SessionRecord, store::SessionStore, store::value_or_throw, store::home::Home;

namespace {

Json ranges(const std::vector<store::Damage::Range>& all) {
  Json out = Json::array();
  for (const store::Damage::Range& range : all)
    out.push_back({{"begin", range.begin}, {"end", range.end}});
  return out;
}

// By Tree::Oddity::Kind.
constexpr const char* oddities[] = {"orphan", "cycle", "duplicate"};

// One session examined: whether it is as it was written, and where it is not, to the byte: key, id,
// bytes, ok, entries, altered, broken, uncommitted, …  `home` is null where sessions are in a
// database: nothing is ever set aside there.
Json facts_about(store::home::Home* home, store::SessionStore& store,
                 const store::SessionRecord& record) {
  const Id session = record.header.session;
  Json out = {{"key", record.key}, {"id", to_string(session)}, {"bytes", record.bytes}};
  const store::Result<store::Damage> examined = store.transcripts().examine(session);
  std::size_t entries = 0;
  const auto count = [&](const model::EntryFacts& entry) {
    entries += entry.type != model::type::session_header;
  };
  const auto surveyed = examined ? store.transcripts().survey(session, count) : examined.error();
  if (!surveyed) {
    out["ok"] = false;
    out["error"] = surveyed.error().text;
    return out;
  }
  const store::Damage& damage = *examined;
  Json odd = Json::array();
  if (const store::Result<model::Tree> tree = store.tree(session); tree)
    for (const model::Tree::Oddity& each : tree->oddities())
      odd.push_back({{"kind", oddities[static_cast<std::size_t>(each.kind)]},
                     {"entry", to_string(each.entry)}});
  Json aside = Json::array();
  std::size_t lacking = 0;
  std::vector<store::home::maintenance::SetAside> fragments;
  if (home != nullptr)
    fragments = store::value_or_throw(store::home::maintenance::set_aside(*home, session));
  for (const auto& each : fragments) {
    lacking += each.lacking.size();
    aside.push_back({{"name", each.name}, {"bytes", each.bytes}, {"lacking", each.lacking.size()}});
  }
  out["ok"] = !damage.any() && odd.empty() && lacking == 0;
  out["entries"] = entries;
  out["header_damaged"] = damage.header_damaged;
  out["altered"] = ranges(damage.altered);
  out["broken"] = ranges(damage.broken);
  out["uncommitted"] = ranges(damage.uncommitted);
  out["gaps"] = damage.gaps;
  out["oddities"] = odd;
  out["set_aside"] = aside;
  return out;
}

// For people: "ok       KEY …", or "damaged  KEY …" and where.
std::vector<std::string> lines_of(const Json& report) {
  std::vector<std::string> out;
  const auto say = [&](const std::string& line) { out.push_back("         " + line); };
  out.push_back((bool_at(report, "ok") ? "ok       " : "damaged  ") + string_at(report, "key") +
                "  " +
                counted(static_cast<std::size_t>(int_at(report, "entries")), "entry", "entries") +
                ", " + std::to_string(int_at(report, "bytes")) + " bytes");
  if (report.contains("error")) say(string_at(report, "error"));
  if (bool_at(report, "header_damaged"))
    say("the first line is damaged, so the session is read-only; `skein doctor " +
        string_at(report, "key") + " --repair` rebuilds it");
  constexpr std::pair<const char*, const char*> kinds[] = {
      {"altered", "altered after it was written, still readable"},
      {"broken", "unreadable; its content is lost"},
      {"uncommitted",
       "an interrupted write that was never confirmed; the next append sets it aside"},
  };
  for (const auto& [kind, meaning] : kinds)
    for (const Json& range : at(report, kind))
      say("bytes " + std::to_string(int_at(range, "begin")) + " to " +
          std::to_string(int_at(range, "end")) + ": " + meaning);
  for (const Json& gap : at(report, "gaps"))
    say("before byte " + dump(gap) + ": something is missing");
  for (const Json& odd : at(report, "oddities"))
    say("entry " + string_at(odd, "entry") + ": " + string_at(odd, "kind"));
  for (const Json& aside : at(report, "set_aside")) {
    const std::int64_t lacking = int_at(aside, "lacking");
    say(string_at(aside, "name") + ", set aside by a repair: " +
        (lacking == 0 ? "the session has everything in it"
                      : counted(static_cast<std::size_t>(lacking), "entry", "entries") +
                            " missing from the session; `skein doctor " + string_at(report, "key") +
                            " --restore-quarantine` restores what can be read"));
  }
  return out;
}

namespace maintenance = store::home::maintenance;

// What was done, a sentence each.
using Done = std::vector<std::string>;

Done bring_back(Home& home, const std::vector<SessionRecord>& sessions) {
  Done done;
  for (const SessionRecord& record : sessions)
    if (const auto count = value_or_throw(maintenance::bring_back(home, record.header.session)))
      done.push_back("restored " + counted(count, "entry", "entries") + " of " + record.key +
                     " after the entries they followed; the conversation continues where it was, "
                     "and `skein sessions show " +
                     record.key + " --tree` shows them");
  return done;
}

Done repair(Home& home, const std::vector<SessionRecord>& sessions) {
  Done done;
  for (const SessionRecord& record : sessions) {
    const auto aside = value_or_throw(maintenance::repair(home, record.header.session));
    if (!aside.empty())
      done.push_back("rebuilt " + record.key + "; the old file was saved as " + aside);
  }
  for (const auto& each : value_or_throw(store::home::migrate_all(home)))
    std::ranges::move(store::home::report_of(each), std::back_inserter(done));
  for (const std::string& name : value_or_throw(maintenance::remove_leftovers(home)))
    done.push_back("removed " + name + ", left behind by a process that died");
  return done;
}

// What was found, ready to be printed in either way.
struct Report {
  Json facts{};
  Done done{};                          // what was repaired
  std::vector<std::string> problems{};  // lines, worst first
  std::vector<std::string> fine{};      // lines about sessions that are whole
  std::string sum{};                    // of all sessions; empty: only some were asked about
  std::vector<std::pair<std::string, doctor::Finding>> findings{};

  void note_problem(std::string_view check, const std::string& problem) {
    facts["problems"].push_back({{"check", check}, {"problem", problem}});
  }
};

std::string labelled(std::string_view label, const std::string& text) {
  return pad(std::string(label), 9) + text;
}

// Those who want to know about the machine did not name sessions or want something done.
bool wants_checks(const Invocation& invocation) {
  return invocation.arguments.empty() && !invocation.has("--rebuild-index") &&
         !invocation.has("--repair");
}

// A check that fails is a finding too: doctor is for machines where things fail.
doctor::Finding look(const doctor::Check& check, const doctor::Surroundings& here) {
  try {
    return check.look(here);
  } catch (const std::exception& error) {
    return {.note = "could not be checked", .problems = {error.what()}};
  }
}

void run_checks(const Invocation& invocation, std::span<const SessionRecord> sessions,
                Report& report) {
  catalog::Catalog catalog;
  const config::Config config =
      app::load_config_anyway(invocation, app::workspace_folder(invocation), catalog);
  const providers::Keyring keys = app::gathered_keys(catalog);
  const doctor::Surroundings here{.invocation = invocation,
                                  .config = config,
                                  .catalog = catalog,
                                  .keys = keys,
                                  .home = app::home_folder(invocation),
                                  .sessions = sessions};
  Json all = Json::object();
  for (const doctor::Check& check : doctor::checks()) {
    doctor::Finding found = look(check, here);
    Json facts = {{"ok", found.problems.empty()}, {"note", found.note}};
    facts.update(parse_json(found.facts).value_or(Json::object()));
    all[std::string(check.name)] = std::move(facts);
    for (const std::string& problem : found.problems) {
      report.note_problem(check.name, problem);
      report.problems.push_back(labelled(check.name, problem));
    }
    report.findings.emplace_back(check.name, std::move(found));
  }
  report.facts["configuration"] = config.troubles;
  report.facts["sandbox"] = {{"active", all["sandbox"]["active"]},
                             {"note", all["sandbox"]["note"]}};
  report.facts["checks"] = std::move(all);
}

// "560 sessions, 1.2 GB, whole"
std::string sum_of(const std::vector<SessionRecord>& sessions, std::size_t damaged,
                   std::size_t strays) {
  std::string out = sessions.empty() ? "no sessions"
                                     : counted(sessions.size(), "session") + ", " +
                                           short_bytes(bytes_of(sessions)) + ", ";
  if (!sessions.empty())
    out += damaged == 0                 ? "no damage"
           : damaged == sessions.size() ? "damaged"
                                        : with_separators(damaged) + " damaged";
  if (strays > 0) out += ", " + counted(strays, "file") + " that cannot be opened";
  return out;
}

std::vector<SessionRecord> sessions_asked_for(const Invocation& invocation, SessionStore& store) {
  if (invocation.arguments.empty()) return store.list();
  std::vector<SessionRecord> wanted;
  for (const std::string& name : invocation.arguments)
    wanted.push_back(value_or_throw(store.find(name)));
  return wanted;
}

// Does what was asked for; what it comes to is in the report. The sessions as they are afterwards.
// `home` is there if something was.
std::vector<SessionRecord> repair_as_wanted(const Invocation& invocation, Home* home,
                                            SessionStore& store, Report& report) {
  if (invocation.has("--rebuild-index"))
    report.facts["rebuilt"] = value_or_throw(maintenance::rebuild_index(*home));
  std::vector<SessionRecord> wanted = sessions_asked_for(invocation, store);
  const bool restore = invocation.has("--restore-quarantine"), mend = invocation.has("--repair");
  const auto note_done = [&](const char* kind, Done done) {
    report.facts[kind] = done;
    std::ranges::move(done, std::back_inserter(report.done));
  };
  if (restore) note_done("restored", bring_back(*home, wanted));
  if (mend) note_done("repaired", repair(*home, wanted));
  if (!mend && !restore) return wanted;
  if (invocation.arguments.empty()) wanted = store.list();
  for (SessionRecord& record : wanted) record = store.open(record.header.session);
  return wanted;
}

void examine_sessions(const Invocation& invocation, Home* home, SessionStore& store,
                      const std::vector<SessionRecord>& wanted, Report& report) {
  Json sessions = Json::array(), strays = Json::array();
  std::size_t damaged = 0;
  const std::uint64_t bytes = bytes_of(wanted);
  Progress progress("examining", bytes, Progress::Unit::bytes);
  for (const SessionRecord& record : wanted) {
    Json examined = facts_about(home, store, record);
    store.presence().close(record.header.session);
    const bool ok = bool_at(examined, "ok");
    damaged += !ok;
    if (!ok) report.note_problem("sessions", record.key + " is damaged");
    std::ranges::move(lines_of(examined), std::back_inserter(ok ? report.fine : report.problems));
    sessions.push_back(std::move(examined));
    progress.step(record.bytes);
  }
  if (home != nullptr && invocation.arguments.empty())
    for (const auto& stray : value_or_throw(maintenance::strays(*home))) {
      strays.push_back({{"name", stray.name}, {"why", stray.why}});
      report.note_problem("sessions", stray.name + ": " + stray.why);
      report.problems.push_back(labelled("stray", stray.name + ": " + stray.why));
    }
  report.facts["ok"] = damaged == 0 && strays.empty();
  report.facts["sum"] = {{"sessions", wanted.size()}, {"bytes", bytes}, {"damaged", damaged}};
  if (invocation.arguments.empty()) report.sum = sum_of(wanted, damaged, strays.size());
  report.facts["sessions"] = std::move(sessions);
  report.facts["strays"] = std::move(strays);
}

void tell_report(const Invocation& invocation, const Report& report) {
  if (invocation.has("--json")) return print_json(dump(report.facts));
  const bool verbose = invocation.has("--verbose");
  for (const std::string& line : report.done) print_line(line);
  for (const std::string& line : report.problems) print_line(line);
  if (report.facts.contains("rebuilt"))
    print_line("the index was rebuilt: " + dump(report.facts["rebuilt"]) + " sessions");
  if (!report.sum.empty()) print_line(report.sum);
  if (verbose || report.sum.empty())
    for (const std::string& line : report.fine) print_line(line);
  for (const auto& [name, found] : report.findings) {
    print_line(labelled(name, found.note));
    for (const std::string& line : found.details)
      if (verbose) print_line(labelled("", line));
  }
}

// With the settings of the folder that each session is about.
int compare_requests(const Invocation& invocation) {
  if (invocation.arguments.empty())
    throw UsageError("--requests needs the KEY of a session; `skein sessions` lists them");
  constexpr std::array results{"same", "differs", "cannot be checked"};
  SessionStore store = app::open_store(invocation);
  discovery::ModelCache cache(app::models_file(invocation));
  const bool json = invocation.has("--json");
  bool differs = false;
  Json sessions = Json::array();
  for (const SessionRecord& record : sessions_asked_for(invocation, store)) {
    catalog::Catalog catalog;
    app::load_config_anyway(invocation, record.header.cwd, catalog);
    app::use_cache(catalog, cache);
    Json answers = Json::array();
    for (const doctor::RequestCheck& check :
         doctor::check_requests(store, record.header.session, catalog)) {
      const char* const result = results[static_cast<std::size_t>(check.result)];
      differs = differs || check.result == doctor::RequestCheck::Result::differs;
      answers.push_back(
          {{"entry", to_string(check.answer)}, {"result", result}, {"note", check.note}});
      if (!json)
        print_line(pad(result, 19) + to_string(check.answer) +
                   (check.note.empty() ? "" : "  " + check.note));
    }
    sessions.push_back({{"key", record.key}, {"answers", std::move(answers)}});
  }
  if (json) print_json(dump({{"ok", !differs}, {"sessions", sessions}}));
  return differs ? failed_status : 0;
}

}  // namespace

int doctor(const Invocation& invocation) {
  if (invocation.has("--requests")) return compare_requests(invocation);
  Report report;
  report.facts = {{"home", app::home_shown(invocation)}, {"problems", Json::array()}};
  try {
    // What can be repaired are files; opening a database's would say so.
    const bool wants_files = !app::home_in_database(invocation) || invocation.has("--repair") ||
                             invocation.has("--restore-quarantine") ||
                             invocation.has("--rebuild-index");
    const auto home = wants_files ? app::open_home(invocation) : nullptr;
    SessionStore store = home ? SessionStore(std::make_unique<store::home::FileBackend>(home))
                              : app::open_store(invocation);
    const std::vector<SessionRecord> wanted =
        repair_as_wanted(invocation, home.get(), store, report);
    examine_sessions(invocation, home.get(), store, wanted, report);
    if (wants_checks(invocation)) run_checks(invocation, wanted, report);
  } catch (const Error& error) {
    // If the sessions cannot be read, the checks are even more important.
    if (wants_checks(invocation) && error.status() == ExitStatus::storage) {
      report.facts["ok"] = false;
      report.facts["error"] = error.what();
      report.note_problem("sessions", error.what());
      if (report.findings.empty()) run_checks(invocation, {}, report);
      tell_report(invocation, report);
    }
    throw;
  }
  tell_report(invocation, report);
  return 0;
}

}  // namespace skein::verbs
