#include "core/exchange/importers/openclaw_database.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/exchange/importers/database.h"
#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/openclaw.h"
#include "core/exchange/importers/pi_lines.h"
#include "core/exchange/importers/zstd.h"
#include "core/text/base.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

namespace {

struct ClawWindow {
  std::string id{}, previous{}, reason{};
};
struct ClawSession {
  std::string key{}, current{}, title{}, created_at{}, updated_at{};
  std::string parent_key{};
  bool spawned = false;
  std::vector<ClawWindow> windows{};
};

std::string cell_text(const Cell& cell) { return std::string(cell.bytes); }

class ClawReader {
 public:
  ClawReader(const SourceFile& file, Receiver& receiver)
      : file_(file), database_(file), receiver_(receiver) {
    if (!database_.has("transcript_events"))
      throw Error(file.path() + " has no transcripts of OpenClaw");
  }

  void read() {
    find_agent();
    find_sessions();
    find_windows();
    find_strays();
    for (ClawSession& session : sessions_) give(session);
  }

 private:
  void lose(std::string_view what) {
    if (!peeking_) receiver_.lose(what);
  }
  void note(bool whole) {
    if (!whole) lose("damaged parts of the database");
  }
  ClawSession& session_with(const std::string& key) {
    const auto [place, added] = by_key_.try_emplace(key, sessions_.size());
    if (added) sessions_.push_back({.key = key});
    return sessions_[place->second];
  }
  // Most keys name their agent; those that do not are the same in every agent's database.
  std::string id_of(const std::string& key) const {
    return key.empty() || key.starts_with("agent:") || agent_.empty() ? key : agent_ + ":" + key;
  }

  void find_agent();
  void find_sessions();
  void find_windows();
  void find_strays();
  void give(ClawSession& session);
  std::vector<ClawWindow> in_order(const ClawSession& session) const;
  std::string header_of(const std::string& window);
  template <class Each>  // false: no more
  void each_event(const std::string& window, Each each);
  template <class Each>
  void each_cold_event(const std::string& window, Each each);
  std::optional<SourceFile> cold_file(const std::string& name, std::string_view blob);
  std::optional<std::string> unpacked(std::string_view packed);

  const SourceFile& file_;
  Database database_;
  Receiver& receiver_;
  std::string agent_{};
  std::vector<ClawSession> sessions_{};
  std::map<std::string, std::size_t> by_key_{};
  bool peeking_ = false;  // what is lost now will be met again
  std::uint64_t unpack_left_ = std::uint64_t{8} << 30;
};

void ClawReader::find_agent() {
  note(database_.each_row({.table = "schema_meta", .columns = {"agent_id"}}, [&](Row row) {
    agent_ = cell_text(row[0]);
    return agent_.empty();
  }));
}

void ClawReader::find_sessions() {
  const Database::Query query{
      .table = "session_nodes",
      .columns = {"session_key", "current_session_id", "entry_json", "label", "display_name",
                  "spawned_by", "fork_source_session_key", "parent_session_key", "created_at",
                  "updated_at"},
      .order = {"created_at", "session_key"}};
  note(database_.each_row(query, [&](Row row) {
    if (row[0].bytes.empty()) return true;
    ClawSession& session = session_with(cell_text(row[0]));
    session.current = cell_text(row[1]);
    const auto entry = parse_json(row[2].bytes);
    const Json& told = entry ? *entry : at(Json(), {});
    for (const std::string& title : {cell_text(row[3]), cell_text(row[4]), string_at(told, "label"),
                                     string_at(told, "displayName"), string_at(told, "subject")})
      if (session.title.empty()) session.title = title;
    session.created_at = time_from(Json(row[8].integer));
    session.updated_at = time_from(Json(row[9].integer));
    session.spawned = !row[5].bytes.empty();
    for (std::size_t column = 5; column <= 7; ++column)
      if (session.parent_key.empty()) session.parent_key = cell_text(row[column]);
    if (session.parent_key == session.key) session.parent_key.clear();
    return true;
  }));
}

void ClawReader::find_windows() {
  const Database::Query query{
      .table = "session_windows",
      .columns = {"session_id", "session_key", "previous_session_id", "reason"},
      .order = {"created_at", "session_id"}};
  note(database_.each_row(query, [&](Row row) {
    if (!row[0].bytes.empty())
      session_with(cell_text(row[1].bytes.empty() ? row[0] : row[1]))
          .windows.push_back({cell_text(row[0]), cell_text(row[2]), cell_text(row[3])});
    return true;
  }));
}

// Transcripts that no window names.
void ClawReader::find_strays() {
  std::set<std::string> known;
  for (ClawSession& session : sessions_) {
    const auto has = [&](const std::string& id) {
      return std::ranges::find(session.windows, id, &ClawWindow::id) != session.windows.end();
    };
    if (!session.current.empty() && !has(session.current))
      session.windows.push_back(
          {session.current, session.windows.empty() ? "" : session.windows.back().id, ""});
    for (const ClawWindow& window : session.windows) known.insert(window.id);
  }
  for (const char* table : {"transcript_events", "session_transcript_cold_archives"})
    note(database_.each_row(
        {.table = table, .columns = {"session_id"}, .order = {"session_id"}}, [&](Row row) {
          if (std::string id = cell_text(row[0]); !id.empty() && known.insert(id).second)
            session_with(id).windows.push_back({.id = id});
          return true;
        }));
}

// Each behind the one it names, whatever the clock said.
std::vector<ClawWindow> ClawReader::in_order(const ClawSession& session) const {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < session.windows.size(); ++i) places.emplace(session.windows[i].id, i);
  std::vector<ClawWindow> out;
  std::vector<bool> begun(session.windows.size());
  for (std::size_t start = 0; start < session.windows.size(); ++start) {
    std::vector<std::size_t> chain;
    for (std::size_t at = start; !begun[at];) {
      begun[at] = true;
      chain.push_back(at);
      const auto previous = places.find(session.windows[at].previous);
      if (previous == places.end()) break;
      at = previous->second;
    }
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      ClawWindow window = session.windows[*at];
      if (window.previous.empty() && window.reason.empty() && !out.empty())
        window.previous = out.back().id;  // as the oldest databases have it: only their times tell
      out.push_back(std::move(window));
    }
  }
  return out;
}

void ClawReader::give(ClawSession& session) {
  const std::vector<ClawWindow> windows = in_order(session);
  ForeignSession begun{.id = id_of(session.key),
                       .title = session.title,
                       .created_at = session.created_at,
                       .updated_at = session.updated_at,
                       .parent = id_of(session.parent_key),
                       .spawned = session.spawned};
  std::optional<PiHeader> header;
  for (const ClawWindow& window : windows)
    if (!header) header = pi_header(header_of(window.id));
  if (header) {
    begun.cwd = header->cwd;
    if (begun.created_at.empty()) begun.created_at = header->time;
  }
  if (windows.empty() || !receiver_.begin(begun)) return;
  PiLines lines(openclaw_name, begun.id, receiver_);
  for (const ClawWindow& window : windows) {
    // After a reset the model knows nothing of what was before.
    lines.begin_window(window.id, window.reason == "reset" ? "" : window.previous);
    each_event(window.id, [&](std::string_view event) {
      if (!lines.add(event)) receiver_.lose("damaged lines");
      return true;
    });
  }
  receiver_.end(lines.leaf_of(session.current));
}

std::string ClawReader::header_of(const std::string& window) {
  std::string first;
  peeking_ = true;
  each_event(window, [&](std::string_view event) {
    first = event;
    return false;
  });
  peeking_ = false;
  return first;
}

template <class Each>
void ClawReader::each_event(const std::string& window, Each each) {
  bool any = false;
  note(database_.each_row({.table = "transcript_events",
                           .columns = {"event_json", "event_zstd"},
                           .where = "session_id",
                           .equals = window,
                           .order = {"seq"}},
                          [&](Row row) {
                            any = true;
                            if (!row[0].bytes.empty()) return each(row[0].bytes);
                            if (const auto event = unpacked(row[1].bytes)) return each(*event);
                            lose("damaged lines");
                            return true;
                          }));
  if (!any) each_cold_event(window, each);
}

std::optional<std::string> ClawReader::unpacked(std::string_view packed) {
  const auto limit = std::min<std::uint64_t>(longest_row, unpack_left_);
  std::optional<std::string> event = unzstd(packed, static_cast<std::size_t>(limit));
  if (event) unpack_left_ -= event->size();
  return event;
}

// A cold transcript is one row, or a file, that has the rows it had, one a line.
template <class Each>
void ClawReader::each_cold_event(const std::string& window, Each each) {
  std::optional<SourceFile> archive;
  bool named = false;
  note(database_.each_row({.table = "session_transcript_cold_archives",
                           .columns = {"archive_name", "archive_blob"},
                           .where = "session_id",
                           .equals = window},
                          [&](Row row) {
                            named = true;
                            archive = cold_file(cell_text(row[0]), row[1].bytes);
                            return false;
                          }));
  if (!archive) {
    if (named) lose("archived transcripts that cannot be read");
    return;
  }
  archive->lines([&](const SourceFile::Line& line) {
    const auto record = parse_json(line.text);
    const std::string kind = record ? string_at(*record, "kind") : std::string();
    if (kind.empty()) return each(line.text);
    return kind != "event" || each(string_at(at(*record, "row"), "event_json"));
  });
}

std::optional<SourceFile> ClawReader::cold_file(const std::string& name, std::string_view blob) {
  if (!blob.empty()) {
    std::optional<std::string> content = unpacked(blob);
    if (!content) return std::nullopt;
    return SourceFile::of_bytes(file_.path(), *std::move(content));
  }
  if (!is_plain_name(name) || !name.ends_with(".jsonl.zst")) return std::nullopt;
  for (const char* place : {"/../sessions/cold/", "/cold/"}) {
    auto opened = SourceFile::open(file_.folder() + place + name);
    if (auto* found = std::get_if<SourceFile>(&opened)) return std::move(*found);
  }
  return std::nullopt;
}

}  // namespace

void read_openclaw_database(const SourceFile& file, Receiver& receiver) {
  ClawReader(file, receiver).read();
}

}  // namespace skein::exchange::importers
