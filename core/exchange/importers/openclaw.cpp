#include "core/exchange/importers/openclaw.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/exchange/importers/database.h"
#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/openclaw_database.h"
#include "core/exchange/importers/pi.h"
#include "core/exchange/importers/pi_lines.h"
#include "core/text/base.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

namespace {

constexpr std::size_t most_index_bytes = std::size_t{64} << 20;

bool is_openclaw_database(const SourceFile& file) {
  return is_database_with(file, "transcript_events", "openclaw-agent.sqlite");
}

// A file of its lines is told from one of pi by its place, or by what only OpenClaw writes. Inside
// of a text these words would have their quotes escaped.
bool is_openclaw_file(const SourceFile& file) {
  if (!has_pi_lines(file)) return false;
  for (const char* place : {"/.openclaw", "/.clawdbot/", "/.moltbot/"})
    if (file.path().find(place) != std::string::npos) return true;
  const std::string head = file.head();
  for (const char* words : {"\"provider\":\"openclaw", "\"customType\":\"openclaw"})
    if (head.find(words) != std::string::npos) return true;
  const auto header = pi_header(std::string_view(head).substr(0, head.find('\n')));
  return header && head.find("\"parentId\":\"" + header->id + "\"") != std::string::npos;
}

bool is_openclaw(const SourceFile& file) {
  return is_openclaw_database(file) || is_openclaw_file(file);
}

// {session key: {sessionId, label, spawnedBy, …}}; null: there is none, or it is not an index.
Json openclaw_index(const std::string& folder) {
  const auto opened = SourceFile::open(folder + "/sessions.json");
  const auto* file = std::get_if<SourceFile>(&opened);
  if (file == nullptr || file->size() > most_index_bytes) return nullptr;
  const auto json = parse_json(file->read(0, most_index_bytes));
  return json && json->is_object() ? *json : Json();
}

void use_openclaw_index(const Json& index, ForeignSession& session) {
  if (!index.is_object()) return;
  for (const auto& [key, row] : index.items()) {
    if (string_at(row, "sessionId") != session.id) continue;
    if (session.title.empty())
      session.title = string_at(row, "label", string_at(row, "displayName"));
    const std::string spawner = string_at(at(index, string_at(row, "spawnedBy")), "sessionId");
    if (!spawner.empty() && spawner != session.id) {
      session.parent = spawner;
      session.spawned = true;
    }
    return;
  }
}

void read_openclaw_file(const SourceFile& file, const Json& index, const ReadOptions& options,
                        Receiver& receiver) {
  ForeignSession session = pi_session_in(file);
  use_openclaw_index(index, session);
  read_pi_lines(file, options, openclaw_name, session, receiver);
}

// The index itself: every session it names, in the folder it lies in and nowhere else.
void read_openclaw_index(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const Json index = openclaw_index(file.folder());
  if (!index.is_object()) throw Error(file.path() + " is not an index of OpenClaw's sessions");
  for (const auto& [key, row] : index.items()) {
    const std::string named = string_at(row, "sessionFile");
    std::string name = named.substr(named.rfind('/') + 1);
    if (name.empty()) name = string_at(row, "sessionId") + ".jsonl";
    if (!is_plain_name(name)) continue;
    const auto opened = SourceFile::open(file.folder() + "/" + name);
    if (const auto* transcript = std::get_if<SourceFile>(&opened))
      read_openclaw_file(*transcript, index, options, receiver);
    else
      receiver.lose("sessions whose file is gone");
  }
}

void read_openclaw(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  if (is_openclaw_database(file)) return read_openclaw_database(file, receiver);
  if (file.name() == "sessions.json") return read_openclaw_index(file, options, receiver);
  read_openclaw_file(file, openclaw_index(file.folder()), options, receiver);
}

std::vector<std::string> openclaw_places(const Environment& environment) {
  const std::string own = environment("OPENCLAW_STATE_DIR"), home = environment("HOME");
  if (!own.empty()) return {own + "/agents"};
  return {home + "/.openclaw/agents", home + "/.clawdbot/agents"};
}

}  // namespace

Format openclaw() {
  return {.name = openclaw_name,
          .agent = "OpenClaw",
          .channel = "openclaw",
          .recognizes = is_openclaw,
          .read = read_openclaw,
          .places = openclaw_places};
}

}  // namespace skein::exchange::importers
