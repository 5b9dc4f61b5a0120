#include "app/doctor/session_report.h"

#include "core/store/home/home.h"
#include "core/store/home/maintenance/quarantine.h"
#include "core/text/amounts.h"
#include "core/text/json.h"

namespace skein::doctor {

namespace {

Json ranges(const std::vector<store::Damage::Range>& all) {
  Json out = Json::array();
  for (const store::Damage::Range& range : all)
    out.push_back({{"begin", range.begin}, {"end", range.end}});
  return out;
}

// By Tree::Oddity::Kind.
constexpr const char* oddities[] = {"orphan", "cycle", "duplicate"};

Json facts_about(store::home::Home* home, store::SessionStore& store,
                 const store::SessionRecord& record) {
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

std::vector<std::string> lines_of(const Json& report) {
  std::vector<std::string> out;
  const auto say = [&](const std::string& line) { out.push_back("         " + line); };
  out.push_back((bool_at(report, "ok") ? "ok       " : "damaged  ") + string_at(report, "key") +
                "  " +
                counted(static_cast<std::size_t>(int_at(report, "entries")), "entry", "entries") +
                ", " + std::to_string(int_at(report, "bytes")) + " bytes");
  if (report.contains("error")) say(string_at(report, "error"));
  if (bool_at(report, "header_damaged"))
    say("the first line is damaged: it opens read-only; `skein doctor " + string_at(report, "key") +
        " --repair` rebuilds it");
  constexpr std::pair<const char*, const char*> kinds[] = {
      {"altered", "altered after it was written, still readable"},
      {"broken", "unreadable; what stood there is lost"},
      {"uncommitted",
       "a write that was cut short, never acknowledged; set aside by the next append"},
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
        (lacking == 0 ? "nothing in it that the session lacks"
                      : counted(static_cast<std::size_t>(lacking), "entry", "entries") +
                            " that the session lacks; `skein doctor " + string_at(report, "key") +
                            " --restore-quarantine` brings back what can be read"));
  }
  return out;
}

}  // namespace

SessionReport examine(store::home::Home* home, store::SessionStore& store,
                      const store::SessionRecord& record) {
  const Json facts = facts_about(home, store, record);
  return {bool_at(facts, "ok"), dump(facts), lines_of(facts)};
}

}  // namespace skein::doctor
