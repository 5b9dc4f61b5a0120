// OpenClaw's sessions: pi's lines, in a database, or in files next to an index in older versions.

#include "core/import/pi/pi.h"
#include "core/import/source/database.h"

namespace skein::importers {

namespace {

constexpr std::string_view openclaw_name = "openclaw";

struct ClawWindow {
  std::string id{}, previous{}, reason{};
};
struct ClawSession {
  ForeignSession facts{};  // with the keys as ids
  std::string current{};
  std::vector<ClawWindow> windows{};
};

std::string cell_text(const Cell& cell) { return std::string(cell.bytes); }

// A conversation has a key and may have several transcripts ("windows"), one after the other: they
// become one session. Throws Error if the database cannot be read at all.
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
  // `each` may return false to stop.
  template <class Each>
  void each_row(const Database::Query& query, Each each) {
    const bool whole = database_.each_row(query, [&](DatabaseRow row) {
      if constexpr (std::is_void_v<decltype(each(row))>)
        return each(row), true;
      else
        return each(row);
    });
    if (!whole) lose("damaged parts of the database");
  }
  ClawSession& session_with(const std::string& key) {
    ClawSession*& place = by_key_[key];
    if (place == nullptr) place = &sessions_.emplace_back(ClawSession{.facts = {.id = key}});
    return *place;
  }
  // Most keys name their agent; those that do not are the same in every agent's database.
  std::string id_of(const std::string& key) const {
    return key.empty() || key.starts_with("agent:") || agent_.empty() ? key : agent_ + ":" + key;
  }

  void find_agent() {
    each_row({.table = "schema_meta", .columns = {"agent_id"}}, [&](DatabaseRow row) {
      agent_ = cell_text(row[0]);
      return agent_.empty();
    });
  }

  void find_sessions() {
    const Database::Query query{
        .table = "session_nodes",
        .columns = {"session_key", "current_session_id", "entry_json", "label", "display_name",
                    "spawned_by", "fork_source_session_key", "parent_session_key", "created_at",
                    "updated_at"},
        .order = {"created_at", "session_key"}};
    each_row(query, [&](DatabaseRow row) {
      if (row[0].bytes.empty()) return;
      ClawSession& session = session_with(cell_text(row[0]));
      session.current = cell_text(row[1]);
      ForeignSession& facts = session.facts;
      const Json entry = parse_json(row[2].bytes).value_or(Json{});
      for (const std::string& title : {cell_text(row[3]), cell_text(row[4]),
                                       first_string(entry, {"label", "displayName", "subject"})})
        if (facts.title.empty()) facts.title = title;
      facts.created_at = time_from(Json(row[8].integer));
      facts.updated_at = time_from(Json(row[9].integer));
      facts.spawned = !row[5].bytes.empty();
      for (std::size_t column = 5; column <= 7; ++column)
        if (facts.parent.empty()) facts.parent = cell_text(row[column]);
      if (facts.parent == facts.id) facts.parent.clear();
    });
  }

  void find_windows() {
    const Database::Query query{
        .table = "session_windows",
        .columns = {"session_id", "session_key", "previous_session_id", "reason"},
        .order = {"created_at", "session_id"}};
    each_row(query, [&](DatabaseRow row) {
      if (!row[0].bytes.empty())
        session_with(cell_text(row[1].bytes.empty() ? row[0] : row[1]))
            .windows.push_back({cell_text(row[0]), cell_text(row[2]), cell_text(row[3])});
    });
  }

  // Transcripts that no window names.
  void find_strays() {
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
      each_row({.table = table, .columns = {"session_id"}, .order = {"session_id"}},
               [&](DatabaseRow row) {
                 if (std::string id = cell_text(row[0]); !id.empty() && known.insert(id).second)
                   session_with(id).windows.push_back({.id = id});
               });
  }

  void give(ClawSession& session) {
    const std::vector<ClawWindow> windows = in_order(session);
    ForeignSession begun = session.facts;
    begun.id = id_of(begun.id);
    begun.parent = id_of(begun.parent);
    std::optional<PiHeader> header;
    for (const ClawWindow& window : windows)
      if (!header) header = pi_header(header_of(window.id));
    if (header) {
      begun.cwd = header->session.cwd;
      if (begun.created_at.empty()) begun.created_at = header->session.created_at;
    }
    if (windows.empty() || !receiver_.begin(begun)) return;
    std::vector<PiWindow> given;
    for (const ClawWindow& window : windows)
      // After a reset the model knows nothing of what was before.
      given.push_back({window.id, window.reason == "reset" ? "" : window.previous,
                       [&](const auto& each) { each_event(window.id, each); }});
    give_pi_windows(given, session.current, openclaw_name, begun.id, receiver_);
  }

  // Each behind the one it names, whatever the clock said.
  std::vector<ClawWindow> in_order(const ClawSession& session) const {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < session.windows.size(); ++i)
      places.emplace(session.windows[i].id, i);
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
          window.previous =
              out.back().id;  // as the oldest databases have it: only their times tell
        out.push_back(std::move(window));
      }
    }
    return out;
  }

  std::string header_of(const std::string& window) {
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
  void each_event(const std::string& window, Each each) {
    bool any = false;
    each_row({.table = "transcript_events",
              .columns = {"event_json", "event_zstd"},
              .where = "session_id",
              .equals = window,
              .order = {"seq"}},
             [&](DatabaseRow row) {
               any = true;
               if (!row[0].bytes.empty()) return each(row[0].bytes);
               if (const auto event = unpacked(row[1].bytes)) return each(*event);
               lose("damaged lines");
               return true;
             });
    if (!any) each_cold_event(window, each);
  }

  // A cold transcript is one row, or a file, that has the rows it had, one a line.
  template <class Each>
  void each_cold_event(const std::string& window, Each each) {
    std::optional<SourceFile> archive;
    bool named = false;
    each_row({.table = "session_transcript_cold_archives",
              .columns = {"archive_name", "archive_blob"},
              .where = "session_id",
              .equals = window},
             [&](DatabaseRow row) {
               named = true;
               archive = cold_file(cell_text(row[0]), row[1].bytes);
               return false;
             });
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

  std::optional<SourceFile> cold_file(const std::string& name, std::string_view blob) {
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

  std::optional<std::string> unpacked(std::string_view packed) {
    const auto limit = std::min<std::uint64_t>(longest_row, unpack_left_);
    std::optional<std::string> event = unzstd(packed, static_cast<std::size_t>(limit));
    if (event) unpack_left_ -= event->size();
    return event;
  }

  const SourceFile& file_;
  Database database_;
  Receiver& receiver_;
  std::string agent_{};
  std::deque<ClawSession> sessions_{};
  std::map<std::string, ClawSession*> by_key_{};
  bool peeking_ = false;  // what is lost now will be met again
  std::uint64_t unpack_left_ = std::uint64_t{8} << 30;
};

bool is_openclaw_database(const SourceFile& file) {
  return is_database_with(file, "transcript_events", "openclaw-agent.sqlite");
}

// A file of its lines differs from one of pi by its place, or by what only OpenClaw writes. Inside
// of a text these words would have their quotes escaped.
bool is_openclaw_file(const SourceFile& file) {
  if (!has_pi_lines(file)) return false;
  for (const char* place : {"/.openclaw", "/.clawdbot/", "/.moltbot/"})
    if (file.path().find(place) != std::string::npos) return true;
  const std::string head = file.head();
  for (const char* words : {"\"provider\":\"openclaw", "\"customType\":\"openclaw"})
    if (head.find(words) != std::string::npos) return true;
  const auto header = pi_header(std::string_view(head).substr(0, head.find('\n')));
  return header && head.find("\"parentId\":\"" + header->session.id + "\"") != std::string::npos;
}

// The index is {session key: {sessionId, label, spawnedBy, …}}; null: it cannot be read.
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

// The index itself: every session it names, in its own folder only.
void read_openclaw_index(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const Json index = json_beside(file.folder() + "/sessions.json");
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

}  // namespace

bool is_openclaw(const SourceFile& file) {
  return is_openclaw_database(file) || is_openclaw_file(file);
}

void read_openclaw(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  if (is_openclaw_database(file)) return ClawReader(file, receiver).read();
  if (file.name() == "sessions.json") return read_openclaw_index(file, options, receiver);
  read_openclaw_file(file, json_beside(file.folder() + "/sessions.json"), options, receiver);
}

}  // namespace skein::importers
