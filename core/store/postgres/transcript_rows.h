// The lines of one session in a database, looked at as the file they would be: so all that reads
// and judges a transcript works on them. Read only; lines are fetched in stretches, and the last
// stretch is kept.
#pragma once

#include "core/store/files/files.h"
#include "core/store/home/index/index.h"
#include "core/store/log/log_reader.h"
#include "core/store/postgres/connection.h"

namespace skein::store::postgres {

// What the database keeps of a session besides its lines.
struct SessionRow {
  Id session{};
  std::string key{};
  std::string record{};  // as print_record writes it
  std::uint64_t bytes = 0;
  std::uint32_t last_crc = 0;
  bool archived = false;
  std::uint64_t edition = 1;        // another: its lines were rewritten
  std::int64_t thrown_away_ms = 0;  // if it is in the trash, and that was asked for
};
// The first columns are id, key, record, bytes, last_crc, archived, edition.
SessionRow read_session_row(Columns& columns);
inline constexpr Statement find_session{"find_session", R"(
  select id, key, record, bytes, last_crc, archived, edition from skein.session where id = $1 and deleted is null)"};

// A record is a sessions.json with one session, checksum and all.
std::string print_record(const log::LogMemory& memory, const std::string& key);
// What it says, unless it was tampered with or is of another session; then only a scan can tell.
std::optional<log::LogMemory> parse_record(const SessionRow& row);
// A time as a number that sorts as it does: 2026-01-02T03:04:05.678Z is 20260102030405678.
std::int64_t time_number(std::string_view timestamp);

class TranscriptRows : public files::Files {
 public:
  TranscriptRows(Connection& connection, Id session) : connection_(connection), session_(session) {}

  // As it was when its size was last asked for.
  const SessionRow& row() const { return row_; }
  // Asks for it now; the next call gets the same. False: it cannot be had.
  bool look_ahead() { return ahead_ = fetch_row() == 0; }
  // What became of a row we know to be written.
  void set_row(SessionRow row) { row_ = std::move(row); }
  // Why a call failed, if it was the database's fault; taken away with it.
  std::optional<Failure> take_failure() { return std::exchange(failure_, std::nullopt); }

  int open(const std::string& path, files::OpenAs as) override;
  int close(Handle) override { return 0; }
  int stat(Handle file, files::FileStat& out) override;
  int stat_path(const std::string& path, files::FileStat& out) override;
  std::int64_t read(Handle file, char* to, std::size_t count, std::uint64_t at) override;
  int write_refused() const;
  std::int64_t write(Handle, std::string_view) override { return write_refused(); }
  int sync(Handle) override { return 0; }
  int truncate(Handle, std::uint64_t) override { return write_refused(); }
  int lock(Handle, int) override { return write_refused(); }
  int unlock(Handle) override { return write_refused(); }
  int hold(Handle, std::uint64_t, LockMode) override { return write_refused(); }
  int link(const std::string&, const std::string&) override { return write_refused(); }
  int rename(const std::string&, const std::string&) override { return write_refused(); }
  int remove(const std::string&) override { return write_refused(); }
  int make_folder(const std::string&) override { return write_refused(); }
  int list(const std::string&, std::vector<std::string>&) override { return write_refused(); }
  int sync_folder(const std::string&) override { return write_refused(); }

 private:
  int fetch_row();
  int fetch(std::uint64_t from, std::uint64_t to);

  Connection& connection_;
  const Id session_;
  SessionRow row_{};
  bool ahead_ = false;
  std::optional<Failure> failure_{};
  std::uint64_t begin_ = 0;  // of the stretch
  std::string stretch_{};
};

// A session that comes into a database whole: its lines as they are in a transcript, byte for byte.
enum class Entered {
  now,
  key_taken,  // by another session of the same user
  id_taken,   // by a session that may be another user's
};

// All lines of a transcript or none.
Result<Entered> enter_session(Connection& connection, const std::string& key,
                              log::LogReader& lines);

// The lines of a session that is there, rewritten as `lines` has them: all of them or none.
// False: it was written to since it was `row`.
Result<bool> replace_lines(Connection& connection, const SessionRow& row, log::LogReader& lines);

}  // namespace skein::store::postgres
