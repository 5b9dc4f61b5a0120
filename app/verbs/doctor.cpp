// skein doctor: what is damaged, where, to the byte. Looks only; the next append repairs a torn
// tail by itself, and nothing else is ever repaired without --repair.
#include "app/config.h"
#include "app/home.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/store/home/file_backend.h"
#include "core/store/home/maintenance/quarantine.h"
#include "core/store/home/maintenance/repair.h"
#include "core/store/home/migration.h"
#include "core/text/amounts.h"
#include "core/text/json.h"

namespace skein::verbs {

using store::SessionRecord;
using store::SessionStore;
using store::value_or_throw;
using store::home::Home;
namespace maintenance = store::home::maintenance;

namespace {

Json ranges(const std::vector<store::Damage::Range>& all) {
  Json out = Json::array();
  for (const store::Damage::Range& range : all)
    out.push_back({{"begin", range.begin}, {"end", range.end}});
  return out;
}

// By Tree::Oddity::Kind.
constexpr const char* oddities[] = {"orphan", "cycle", "duplicate"};

// `home` is null if it is no folder: then nothing was ever set aside.
Json report_on(Home* home, SessionStore& store, const SessionRecord& record) {
  const Id session = record.header.session;
  Json out = {{"key", record.key}, {"id", to_string(session)}, {"bytes", record.bytes}};
  const store::Result<store::Damage> examined = store.examine(session);
  std::size_t entries = 0;
  const auto count = [&](const model::EntryFacts& entry) {
    entries += entry.type != model::type::session_header;
  };
  const auto surveyed = examined ? store.survey(session, count) : examined.error();
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
  std::vector<maintenance::SetAside> fragments;
  if (home != nullptr) fragments = value_or_throw(maintenance::set_aside(*home, session));
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

void print_report(const Json& report) {
  const auto say = print_line;
  say((bool_at(report, "ok") ? "ok       " : "damaged  ") + string_at(report, "key") + "  " +
      counted(static_cast<std::size_t>(int_at(report, "entries")), "entry", "entries") + ", " +
      std::to_string(int_at(report, "bytes")) + " bytes");
  if (report.contains("error")) say("         " + string_at(report, "error"));
  if (bool_at(report, "header_damaged"))
    say("         the first line is damaged: it opens read-only");
  constexpr std::pair<const char*, const char*> kinds[] = {
      {"altered", "altered after it was written, still readable"},
      {"broken", "unreadable; what stood there is lost"},
      {"uncommitted",
       "a write that was cut short, never acknowledged; set aside by the next append"},
  };
  for (const auto& [kind, meaning] : kinds)
    for (const Json& range : at(report, kind))
      say("         bytes " + std::to_string(int_at(range, "begin")) + " to " +
          std::to_string(int_at(range, "end")) + ": " + meaning);
  for (const Json& gap : at(report, "gaps"))
    say("         before byte " + dump(gap) + ": something is missing");
  for (const Json& odd : at(report, "oddities"))
    say("         entry " + string_at(odd, "entry") + ": " + string_at(odd, "kind"));
  for (const Json& aside : at(report, "set_aside")) {
    const std::int64_t lacking = int_at(aside, "lacking");
    say("         " + string_at(aside, "name") + ", set aside by a repair: " +
        (lacking == 0 ? "nothing in it that the session lacks"
                      : counted(static_cast<std::size_t>(lacking), "entry", "entries") +
                            " that the session lacks; `skein doctor " + string_at(report, "key") +
                            " --restore-quarantine` brings back what can be read"));
  }
}

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
  for (const auto& each : value_or_throw(store::home::migrate_all(home))) {
    done.push_back(
        (each.form.empty()
             ? "session " + to_string(each.session) + " had been migrated before; its old file"
             : "migrated session " + to_string(each.session) + " from " + each.form + ", " +
                   counted(each.entries, "entry", "entries") + "; its old file") +
        " is kept as " + each.old_file);
    for (const std::string& loss : each.losses) done.push_back("  " + loss);
  }
  for (const std::string& name : value_or_throw(maintenance::remove_leftovers(home)))
    done.push_back("removed " + name + ", which a process that died had left behind");
  return done;
}

// What the model's commands are shut into on this machine, and what would be better.
Json sandbox_here(const app::Config& config) {
  const tools::sandbox::Sandbox sandbox =
      config.sandbox ? *config.sandbox : tools::sandbox::best_sandbox();
  return {{"active", tools::sandbox::name(sandbox)}, {"note", tools::sandbox::describe(sandbox)}};
}

}  // namespace

int doctor(const app::Invocation& invocation) {
  const bool wants_files = !app::home_in_database(invocation) || invocation.has("--repair") ||
                           invocation.has("--restore-quarantine") ||
                           invocation.has("--rebuild-index");
  const auto home = wants_files ? app::open_home(invocation) : nullptr;
  SessionStore store = home ? SessionStore(std::make_unique<store::home::FileBackend>(home))
                            : app::open_store(invocation);
  Json out = {{"home", app::home_shown(invocation)}};
  if (invocation.has("--rebuild-index"))
    out["rebuilt"] = value_or_throw(maintenance::rebuild_index(*home));

  std::vector<SessionRecord> wanted;
  for (const std::string& name : invocation.arguments)
    wanted.push_back(value_or_throw(store.find(name)));
  if (invocation.arguments.empty()) {
    wanted = store.list();
    if (!invocation.has("--rebuild-index") && !invocation.has("--repair")) {
      catalog::Catalog catalog;
      const app::Config config =
          app::load_config_anyway(invocation, app::workspace_folder(invocation), catalog);
      out["configuration"] = config.troubles;
      out["sandbox"] = sandbox_here(config);
    }
  }
  const bool restore = invocation.has("--restore-quarantine");
  if (restore) out["restored"] = bring_back(*home, wanted);
  if (invocation.has("--repair") || restore) {
    if (invocation.has("--repair")) out["repaired"] = repair(*home, wanted);
    if (invocation.arguments.empty()) wanted = store.list();
    for (SessionRecord& record : wanted) record = value_or_throw(store.open(record.header.session));
  }
  Json sessions = Json::array(), strays = Json::array();
  bool ok = true;
  for (const SessionRecord& record : wanted) {
    sessions.push_back(report_on(home.get(), store, record));
    ok = ok && bool_at(sessions.back(), "ok");
  }
  if (home && invocation.arguments.empty())
    for (const auto& stray : value_or_throw(maintenance::strays(*home)))
      strays.push_back({{"name", stray.name}, {"why", stray.why}});
  out["ok"] = ok && strays.empty();
  out["sessions"] = sessions;
  out["strays"] = strays;

  if (invocation.has("--json")) {
    print_json(dump(out));
    return 0;
  }
  for (const char* kind : {"restored", "repaired"})
    for (const Json& sentence : at(out, kind)) print_line(sentence.get<std::string>());
  if (out.contains("sandbox")) {
    print_line("sandbox  " + string_at(out["sandbox"], "note"));
    if (const std::string folder = app::state_folder(); !folder.empty())
      print_line("log      " + folder + ", a file a process; `--debug` writes more");
  }
  for (const Json& trouble : at(out, "configuration"))
    print_line("config   " + trouble.get<std::string>());
  for (const Json& report : sessions) print_report(report);
  for (const Json& stray : strays)
    print_line("stray    " + string_at(stray, "name") + ": " + string_at(stray, "why"));
  if (out.contains("rebuilt"))
    print_line("the index was made anew: " + dump(out["rebuilt"]) + " sessions");
  if (sessions.empty() && strays.empty()) print_line("no sessions, nothing to examine");
  return 0;
}

}  // namespace skein::verbs
