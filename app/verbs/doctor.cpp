// skein doctor: what is damaged, where, to the byte, and what else may be in the way. Looks only;
// the next append repairs a torn tail by itself, and nothing else is ever repaired without
// --repair.
#include <exception>
#include <span>

#include "app/doctor/checks.h"
#include "app/doctor/session_report.h"
#include "app/home.h"
#include "app/load_config.h"
#include "app/verbs/output.h"
#include "app/verbs/progress.h"
#include "app/verbs/subcommands.h"
#include "core/store/home/file_backend.h"
#include "core/store/home/maintenance/quarantine.h"
#include "core/store/home/maintenance/repair.h"
#include "core/store/home/migration.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "providers/keys.h"

namespace skein::verbs {

using store::SessionRecord;
using store::SessionStore;
using store::value_or_throw;
using store::home::Home;
namespace maintenance = store::home::maintenance;

namespace {

Json bring_back(Home& home, const std::vector<SessionRecord>& sessions) {
  Json done = Json::array();
  for (const SessionRecord& record : sessions)
    if (const auto count = value_or_throw(maintenance::bring_back(home, record.header.session)))
      done.push_back("brought back " + counted(count, "entry", "entries") + " of " + record.key +
                     " behind the entries they followed; the conversation goes on where it was, "
                     "and `skein sessions show " +
                     record.key + " --tree` shows them");
  return done;
}

// What was done about it, a sentence each.
Json repair(Home& home, const std::vector<SessionRecord>& sessions) {
  Json done = Json::array();
  for (const SessionRecord& record : sessions) {
    const auto aside = value_or_throw(maintenance::repair(home, record.header.session));
    if (!aside.empty())
      done.push_back("rebuilt " + record.key + "; what was there is kept as " + aside);
  }
  for (const auto& each : value_or_throw(store::home::migrate_all(home)))
    for (const std::string& line : store::home::report_of(each)) done.push_back(line);
  for (const std::string& name : value_or_throw(maintenance::remove_leftovers(home)))
    done.push_back("removed " + name + ", which a process that died had left behind");
  return done;
}

// What was found, ready to be told in either way.
struct Report {
  Json facts{};
  std::vector<std::string> done{};      // what was repaired
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
bool wants_checks(const app::Invocation& invocation) {
  return invocation.arguments.empty() && !invocation.has("--rebuild-index") &&
         !invocation.has("--repair");
}

// A check that fails is a finding too: doctor is for machines where things fail.
doctor::Finding look(const doctor::Check& check, const doctor::Surroundings& here) {
  try {
    return check.look(here);
  } catch (const std::exception& error) {
    return {.note = "could not be looked at", .problems = {error.what()}};
  }
}

void run_checks(const app::Invocation& invocation, std::span<const SessionRecord> sessions,
                Report& report) {
  catalog::Catalog catalog;
  const config::Config config =
      app::load_config_anyway(invocation, app::workspace_folder(invocation), catalog);
  providers::Keyring keys;
  keys.take_environment(catalog.key_variables());
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
  std::uint64_t bytes = 0;
  for (const SessionRecord& record : sessions) bytes += record.bytes;
  std::string out = sessions.empty()
                        ? "no sessions, nothing to examine"
                        : counted(sessions.size(), "session") + ", " + short_bytes(bytes) + ", ";
  if (!sessions.empty())
    out += damaged == 0                 ? "whole"
           : damaged == sessions.size() ? "damaged"
                                        : with_separators(damaged) + " damaged";
  if (strays > 0) out += ", " + counted(strays, "file") + " among them that cannot be opened";
  return out;
}

std::vector<SessionRecord> sessions_asked_for(const app::Invocation& invocation,
                                              SessionStore& store) {
  if (invocation.arguments.empty()) return store.list();
  std::vector<SessionRecord> wanted;
  for (const std::string& name : invocation.arguments)
    wanted.push_back(value_or_throw(store.find(name)));
  return wanted;
}

// Does what was asked for; what it comes to is in the report. The sessions as they are afterwards.
// `home` is there if something was.
std::vector<SessionRecord> repair_as_wanted(const app::Invocation& invocation, Home* home,
                                            SessionStore& store, Report& report) {
  if (invocation.has("--rebuild-index"))
    report.facts["rebuilt"] = value_or_throw(maintenance::rebuild_index(*home));
  std::vector<SessionRecord> wanted = sessions_asked_for(invocation, store);
  const bool restore = invocation.has("--restore-quarantine"), mend = invocation.has("--repair");
  if (restore) report.facts["restored"] = bring_back(*home, wanted);
  if (mend) report.facts["repaired"] = repair(*home, wanted);
  for (const char* kind : {"restored", "repaired"})
    for (const Json& sentence : at(report.facts, kind))
      report.done.push_back(sentence.get<std::string>());
  if (!mend && !restore) return wanted;
  if (invocation.arguments.empty()) wanted = store.list();
  for (SessionRecord& record : wanted) record = value_or_throw(store.open(record.header.session));
  return wanted;
}

void examine_sessions(const app::Invocation& invocation, Home* home, SessionStore& store,
                      const std::vector<SessionRecord>& wanted, Report& report) {
  Json sessions = Json::array(), strays = Json::array();
  std::size_t damaged = 0;
  std::uint64_t bytes = 0;
  for (const SessionRecord& record : wanted) bytes += record.bytes;
  Progress progress("examining", bytes, Progress::Unit::bytes);
  for (const SessionRecord& record : wanted) {
    const doctor::SessionReport examined = doctor::examine(home, store, record);
    store.close(record.header.session);
    sessions.push_back(parse_json(examined.facts).value_or(Json()));
    damaged += !examined.ok;
    if (!examined.ok) report.note_problem("sessions", record.key + " is damaged");
    auto& lines = examined.ok ? report.fine : report.problems;
    lines.insert(lines.end(), examined.lines.begin(), examined.lines.end());
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

void tell_report(const app::Invocation& invocation, const Report& report) {
  if (invocation.has("--json")) return print_json(dump(report.facts));
  const bool verbose = invocation.has("--verbose");
  for (const std::string& line : report.done) print_line(line);
  for (const std::string& line : report.problems) print_line(line);
  if (report.facts.contains("rebuilt"))
    print_line("the index was made anew: " + dump(report.facts["rebuilt"]) + " sessions");
  if (!report.sum.empty()) print_line(report.sum);
  if (verbose || report.sum.empty())
    for (const std::string& line : report.fine) print_line(line);
  for (const auto& [name, found] : report.findings) {
    print_line(labelled(name, found.note));
    for (const std::string& line : found.details)
      if (verbose) print_line(labelled("", line));
  }
}

}  // namespace

int doctor(const app::Invocation& invocation) {
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
    // Whoever cannot get at the sessions wants to know what is wrong all the more.
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
