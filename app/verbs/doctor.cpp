// skein doctor: what is damaged, where, to the byte, and what else may be in the way. Looks only;
// the next append repairs a torn tail by itself, and nothing else is ever repaired without
// --repair.

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

namespace maintenance = store::home::maintenance;

namespace {

// By Tree::Oddity::Kind.
constexpr const char* oddities[] = {"orphan", "cycle", "duplicate"};

// One session: whether it is as it was written, and where it is not, to the byte.
struct Examined {
  bool ok = true;
  Json facts{};                      // key, id, bytes, ok, entries, altered, broken, …
  std::vector<std::string> lines{};  // "ok       KEY …", or "damaged  KEY …" and where
};

// `home` is null where sessions are in a database: nothing is ever set aside there.
Examined examined(Home* home, SessionStore& store, const SessionRecord& record) {
  const Id session = record.header.session;
  std::size_t entries = 0;
  Examined out{
      .facts = {
          {"key", record.key}, {"id", to_string(session)}, {"bytes", record.bytes}, {"ok", true}}};
  const auto say = [&](const std::string& line) { out.lines.push_back("         " + line); };
  const auto finish = [&] {
    out.facts["ok"] = out.ok;
    out.lines.insert(out.lines.begin(), (out.ok ? "ok       " : "damaged  ") + record.key + "  " +
                                            counted(entries, "entry", "entries") + ", " +
                                            std::to_string(record.bytes) + " bytes");
    return std::move(out);
  };

  const store::Result<store::Damage> damage = store.transcripts().examine(session);
  const auto count = [&](const model::EntryFacts& entry) {
    entries += entry.type != model::type::session_header;
  };
  const auto surveyed = damage ? store.transcripts().survey(session, count) : damage.error();
  if (!surveyed) {
    entries = 0;
    out.ok = false;
    out.facts["error"] = surveyed.error().text;
    say(surveyed.error().text);
    return finish();
  }
  out.ok = !damage->any();
  out.facts["entries"] = entries;
  out.facts["header_damaged"] = damage->header_damaged;
  if (damage->header_damaged)
    say("the first line is damaged, so the session is read-only; `skein doctor " + record.key +
        " --repair` rebuilds it");
  const auto note_ranges = [&](const char* kind, const std::vector<store::Damage::Range>& ranges,
                               const char* meaning) {
    Json& all = out.facts[kind] = Json::array();
    for (const auto& [begin, end] : ranges) {
      all.push_back({{"begin", begin}, {"end", end}});
      say("bytes " + std::to_string(begin) + " to " + std::to_string(end) + ": " + meaning);
    }
  };
  note_ranges("altered", damage->altered, "altered after it was written, still readable");
  note_ranges("broken", damage->broken, "unreadable; its content is lost");
  note_ranges("uncommitted", damage->uncommitted,
              "an interrupted write that was never confirmed; the next append sets it aside");
  out.facts["gaps"] = damage->gaps;
  for (const auto gap : damage->gaps)
    say("before byte " + std::to_string(gap) + ": something is missing");

  Json& odd = out.facts["oddities"] = Json::array();
  if (const store::Result<model::Tree> tree = store.tree(session); tree)
    for (const model::Tree::Oddity& each : tree->oddities()) {
      const std::string kind = oddities[static_cast<std::size_t>(each.kind)];
      out.ok = false;
      odd.push_back({{"kind", kind}, {"entry", to_string(each.entry)}});
      say("entry " + to_string(each.entry) + ": " + kind);
    }
  Json& aside = out.facts["set_aside"] = Json::array();
  std::vector<maintenance::SetAside> fragments;
  if (home != nullptr) fragments = value_or_throw(maintenance::set_aside(*home, session));
  for (const auto& [name, bytes, lacking] : fragments) {
    out.ok = out.ok && lacking.empty();
    aside.push_back({{"name", name}, {"bytes", bytes}, {"lacking", lacking.size()}});
    say(name + ", set aside by a repair: " +
        (lacking.empty() ? "the session has everything in it"
                         : counted(lacking.size(), "entry", "entries") +
                               " missing from the session; `skein doctor " + record.key +
                               " --restore-quarantine` restores what can be read"));
  }
  return finish();
}

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
    Examined found = examined(home, store, record);
    store.presence().close(record.header.session);
    damaged += !found.ok;
    if (!found.ok) report.note_problem("sessions", record.key + " is damaged");
    std::ranges::move(found.lines, std::back_inserter(found.ok ? report.fine : report.problems));
    sessions.push_back(std::move(found.facts));
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
