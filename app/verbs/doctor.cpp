// skein doctor: what is damaged, where, to the byte. Looks only; the next append repairs a torn
// tail by itself, and nothing else is ever repaired without --repair.
#include <cstdio>

#include "app/config.h"
#include "app/home.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "repl/layout/sanitize.h"

namespace skein::verbs {

namespace {

Json ranges(const std::vector<store::Damage::Range>& all) {
  Json out = Json::array();
  for (const store::Damage::Range& range : all)
    out.push_back({{"begin", range.begin}, {"end", range.end}});
  return out;
}

std::string_view name(model::Tree::Oddity::Kind kind) {
  switch (kind) {
    case model::Tree::Oddity::Kind::orphan: return "orphan";
    case model::Tree::Oddity::Kind::cycle: return "cycle";
    case model::Tree::Oddity::Kind::duplicate: return "duplicate";
  }
  return "";
}

Json report_on(store::SessionStore& store, const store::SessionRecord& record) {
  const Id session = record.header.session;
  Json out = {{"key", record.key}, {"id", to_string(session)}, {"bytes", record.bytes}};
  const store::Result<store::Damage> examined = store.examine(session);
  std::size_t entries = 0;
  const store::Result<void> surveyed =
      examined ? store.survey(session,
                              [&](const model::EntryFacts& entry) {
                                entries += entry.type != model::type::session_header;
                              })
               : examined.error();
  if (!surveyed) {
    out["ok"] = false;
    out["error"] = surveyed.error().text;
    return out;
  }
  const store::Damage& damage = *examined;
  Json odd = Json::array();
  if (const store::Result<model::Tree> tree = store.tree(session); tree)
    for (const model::Tree::Oddity& each : tree->oddities())
      odd.push_back({{"kind", name(each.kind)}, {"entry", to_string(each.entry)}});
  Json aside = Json::array();
  std::size_t lacking = 0;
  for (const store::StorageBackend::SetAside& each :
       store::value_or_throw(store.backend().set_aside(session))) {
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
  const auto say = [](const std::string& text) {
    std::fputs((layout::sanitized(text) + "\n").c_str(), stdout);
  };
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
                      : std::to_string(lacking) + (lacking == 1 ? " entry" : " entries") +
                            " that the session lacks; `skein doctor " + string_at(report, "key") +
                            " --restore-quarantine` brings back what can be read"));
  }
}

Json bring_back(store::SessionStore& store, const std::vector<store::SessionRecord>& sessions) {
  Json done = Json::array();
  for (const store::SessionRecord& record : sessions)
    if (const std::size_t count =
            store::value_or_throw(store.backend().bring_back(record.header.session)))
      done.push_back("brought back " + std::to_string(count) +
                     (count == 1 ? " entry of " : " entries of ") + record.key +
                     " behind the entries they followed; the conversation goes on where it was, "
                     "and `skein sessions show " +
                     record.key + " --tree` shows them");
  return done;
}

// What was done about it, a sentence each.
Json repair(store::SessionStore& store, const std::vector<store::SessionRecord>& sessions) {
  Json done = Json::array();
  for (const store::SessionRecord& record : sessions) {
    const std::string aside = store::value_or_throw(store.backend().repair(record.header.session));
    if (!aside.empty())
      done.push_back("rebuilt " + record.key + "; what was there is kept as " + aside);
  }
  for (const store::MigrationResult& each :
       store::value_or_throw(store.backend().migrate_strays())) {
    done.push_back(
        (each.form.empty()
             ? "session " + to_string(each.session) + " had been migrated before; its old file"
             : "migrated session " + to_string(each.session) + " from " + each.form + ", " +
                   counted(each.entries, "entry", "entries") + "; its old file") +
        " is kept as " + each.old_file);
    for (const std::string& loss : each.losses) done.push_back("  " + loss);
  }
  for (const std::string& name : store::value_or_throw(store.backend().remove_leftovers()))
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
  store::SessionStore store = app::open_store(invocation);
  Json out = {{"home", app::home_folder(invocation)}};
  if (invocation.has("--rebuild-index"))
    out["rebuilt"] = store::value_or_throw(store.backend().rebuild_index());

  std::vector<store::SessionRecord> wanted;
  for (const std::string& name : invocation.arguments)
    wanted.push_back(store::value_or_throw(store.find(name)));
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
  if (restore) out["restored"] = bring_back(store, wanted);
  if (invocation.has("--repair") || restore) {
    if (invocation.has("--repair")) out["repaired"] = repair(store, wanted);
    if (invocation.arguments.empty()) wanted = store.list();
    for (store::SessionRecord& record : wanted)
      record = store::value_or_throw(store.open(record.header.session));
  }
  Json sessions = Json::array(), strays = Json::array();
  bool ok = true;
  for (const store::SessionRecord& record : wanted) {
    sessions.push_back(report_on(store, record));
    ok = ok && bool_at(sessions.back(), "ok");
  }
  if (invocation.arguments.empty())
    for (const store::StorageBackend::Stray& stray :
         store::value_or_throw(store.backend().strays()))
      strays.push_back({{"name", stray.name}, {"why", stray.why}});
  out["ok"] = ok && strays.empty();
  out["sessions"] = sessions;
  out["strays"] = strays;

  if (invocation.has("--json")) {
    print_json(dump(out));
    return 0;
  }
  for (const char* kind : {"restored", "repaired"})
    for (const Json& sentence : at(out, kind))
      std::puts(layout::sanitized(sentence.get<std::string>()).c_str());
  if (out.contains("sandbox")) {
    std::puts(("sandbox  " + string_at(out["sandbox"], "note")).c_str());
    if (const std::string folder = app::state_folder(); !folder.empty())
      std::puts(
          ("log      " + layout::sanitized(folder) + ", a file a process; `--debug` writes more")
              .c_str());
  }
  for (const Json& trouble : at(out, "configuration"))
    std::puts(("config   " + layout::sanitized(trouble.get<std::string>())).c_str());
  for (const Json& report : sessions) print_report(report);
  for (const Json& stray : strays)
    std::puts(
        layout::sanitized("stray    " + string_at(stray, "name") + ": " + string_at(stray, "why"))
            .c_str());
  if (out.contains("rebuilt"))
    std::puts(("the index was made anew: " + dump(out["rebuilt"]) + " sessions").c_str());
  if (sessions.empty() && strays.empty()) std::puts("no sessions, nothing to examine");
  return 0;
}

}  // namespace skein::verbs
