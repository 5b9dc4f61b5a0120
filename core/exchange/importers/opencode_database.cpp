#include "core/exchange/importers/opencode_database.h"

#include <string>
#include <utility>
#include <vector>

#include "core/exchange/importers/database.h"
#include "core/exchange/importers/opencode_second.h"
#include "core/exchange/importers/opencode_session.h"
#include "core/text/base.h"

namespace skein::exchange::importers {

namespace {

Json opencode_json(const Cell& cell) { return parse_json(cell.bytes).value_or(Json()); }

class OpencodeDatabase {
 public:
  OpencodeDatabase(const SourceFile& file, const ReadOptions& options, Receiver& receiver)
      : database_(file), options_(options), receiver_(receiver) {
    if (!database_.has("session")) throw Error(file.path() + " has no sessions of opencode");
  }

  void read() {
    std::vector<std::pair<ForeignSession, Json>> sessions;
    const Database::Query query{.table = "session",
                                .columns = {"id", "parent_id", "directory", "title", "time_created",
                                            "revert", "time_updated"},
                                .order = {"time_created", "id"}};
    note(database_.each_row(query, [&](Row row) {
      const Json session{{"id", row[0].bytes},
                         {"parentID", row[1].bytes},
                         {"directory", row[2].bytes},
                         {"title", row[3].bytes},
                         {"time", {{"created", row[4].integer}, {"updated", row[6].integer}}}};
      if (auto found = opencode_session(session))
        sessions.emplace_back(*std::move(found), opencode_json(row[5]));
      return true;
    }));
    for (const auto& [session, revert] : sessions) give(session, revert);
  }

 private:
  void note(bool whole) {
    if (!whole) receiver_.lose("damaged parts of the database");
  }

  void give(const ForeignSession& session, const Json& revert) {
    if (!receiver_.begin(session)) return;
    OpencodeEntries entries(session, revert, options_, receiver_);
    if (!give_second(session, entries)) give_first(session, entries);
    entries.finish();
  }

  // False: there are none in the table of the second version.
  bool give_second(const ForeignSession& session, OpencodeEntries& entries) {
    bool any = false;
    note(database_.each_row({.table = "session_message",
                             .columns = {"id", "time_created", "data", "type"},
                             .where = "session_id",
                             .equals = session.id,
                             .order = {"seq"}},
                            [&](Row row) {
                              any = true;
                              if (auto message = message_in(row))
                                if (auto first = as_first_opencode(*std::move(message),
                                                                   std::string(row[3].bytes)))
                                  entries.add(*std::move(first));
                              return true;
                            }));
    return any;
  }

  void give_first(const ForeignSession& session, OpencodeEntries& entries) {
    note(database_.each_row({.table = "message",
                             .columns = {"id", "time_created", "data"},
                             .where = "session_id",
                             .equals = session.id,
                             .order = {"time_created", "id"}},
                            [&](Row row) {
                              if (auto message = message_in(row)) {
                                message->parts = parts_of(message->id);
                                entries.add(*std::move(message));
                              }
                              return true;
                            }));
  }

  std::optional<OpencodeMessage> message_in(Row row) {
    OpencodeMessage message{
        .id = std::string(row[0].bytes), .time = row[1].integer, .data = opencode_json(row[2])};
    if (message.data.is_object() && !message.id.empty()) return message;
    receiver_.lose("damaged lines");
    return std::nullopt;
  }

  std::vector<OpencodePart> parts_of(const std::string& message) {
    std::vector<OpencodePart> parts;
    note(database_.each_row({.table = "part",
                             .columns = {"id", "data"},
                             .where = "message_id",
                             .equals = message,
                             .order = {"id"}},
                            [&](Row row) {
                              Json data = opencode_json(row[1]);
                              if (data.is_object())
                                parts.push_back({std::string(row[0].bytes), std::move(data)});
                              else
                                receiver_.lose("damaged lines");
                              return true;
                            }));
    return parts;
  }

  Database database_;
  ReadOptions options_;
  Receiver& receiver_;
};

}  // namespace

void read_opencode_database(const SourceFile& file, const ReadOptions& options,
                            Receiver& receiver) {
  OpencodeDatabase(file, options, receiver).read();
}

}  // namespace skein::exchange::importers
