#include "core/import/import_report.h"

#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::importers {

namespace {

constexpr std::size_t most_shown = 20;

Json losses_json(const ImportedSession& session) {
  Json out = Json::array();
  for (const auto& [what, count] : session.losses)
    out.push_back(what + (count > 1 ? " (" + std::to_string(count) + " times)" : ""));
  if (!session.trouble.empty()) out.push_back(session.trouble);
  return out;
}

std::string line_of(const ImportedSession& session) {
  std::string line = session.key + "  " + counted(session.entries, "entry", "entries");
  if (session.added < session.entries) line += ", " + std::to_string(session.added) + " new";
  if (!session.title.empty()) line += "  " + session.title;
  if (!session.trouble.empty()) line += "\n  not updated: " + session.trouble;
  return line + "\n";
}

}  // namespace

JsonText report_json(const std::vector<ImportedFile>& files) {
  Json out = Json::array();
  for (const ImportedFile& file : files) {
    Json sessions = Json::array();
    for (const ImportedSession& session : file.sessions)
      sessions.push_back({{"key", session.key},
                          {"id", to_string(session.session)},
                          {"title", session.title},
                          {"cwd", session.cwd},
                          {"entries", session.entries},
                          {"new", session.added},
                          {"losses", losses_json(session)}});
    Json row{{"file", file.source.path},
             {"format", file.source.format->name},
             {"sessions", std::move(sessions)}};
    if (!file.trouble.empty()) row["error"] = file.trouble;
    out.push_back(std::move(row));
  }
  return dump({{"files", std::move(out)}});
}

std::string report_text(const std::vector<ImportedFile>& files, bool dry_run) {
  std::string lines, trouble;
  std::map<std::string, std::size_t> losses;
  std::size_t sessions = 0, entries = 0, added = 0;
  for (const ImportedFile& file : files) {
    if (!file.trouble.empty()) trouble += file.source.path + ": " + file.trouble + "\n";
    for (const ImportedSession& session : file.sessions) {
      if (++sessions <= most_shown || !session.trouble.empty()) lines += line_of(session);
      entries += session.entries;
      added += session.added;
      for (const auto& [what, count] : session.losses) losses[what] += count;
    }
  }
  if (sessions > most_shown) lines += "… and " + std::to_string(sessions - most_shown) + " more\n";
  if (!losses.empty()) {
    lines += "not imported:";
    for (const auto& [what, count] : losses)
      lines += (lines.ends_with(':') ? " " : "; ") + what + " (" + with_separators(count) + ")";
    lines += "\n";
  }
  if (sessions == 0) return trouble + (dry_run ? "nothing to import" : "nothing was imported");
  return lines + trouble + counted(sessions, "session") + ", " +
         (entries == 1 ? "1 entry" : with_separators(entries) + " entries") + ", " +
         with_separators(added) + (dry_run ? " would be new" : " new");
}

std::string counted_by_agent(const std::vector<ImportSource>& sources) {
  std::map<std::string_view, std::size_t> counts;
  for (const ImportSource& source : sources) ++counts[source.format->agent];
  std::string out;
  std::size_t left = counts.size();
  for (const auto& [agent, count] : counts) {
    if (!out.empty()) out += left == 1 ? " and " : ", ";
    out += out.empty() ? counted(count, "session") : std::to_string(count);
    out += " of " + std::string(agent);
    --left;
  }
  return out;
}

}  // namespace skein::importers
