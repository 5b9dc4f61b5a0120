// SQLite, for files that somebody else wrote. Nothing the file says is obeyed: its views, triggers
// and functions are off, its rows have a limit, and a query that finds nothing for long is stopped.
#include <sqlite3.h>

#include <array>
#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/exchange/importers/containers.h"

namespace skein::exchange::importers {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{30};  // without a row
constexpr int steps_between_looks = 100'000;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

Cell cell_of(sqlite3_stmt* statement, int column) {
  const auto bytes = [&](const void* data) {
    const int size = sqlite3_column_bytes(statement, column);
    return data == nullptr || size <= 0
               ? std::string_view{}
               : std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return {.kind = Cell::Kind::integer, .integer = sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return {.kind = Cell::Kind::real, .integer = sqlite3_column_int64(statement, column)};
    case SQLITE_TEXT:
      return {.kind = Cell::Kind::text, .bytes = bytes(sqlite3_column_text(statement, column))};
    case SQLITE_BLOB:
      return {.kind = Cell::Kind::blob, .bytes = bytes(sqlite3_column_blob(statement, column))};
    default: return {};
  }
}

class SqliteDatabase final : public OpenDatabase {
 public:
  SqliteDatabase(Handle handle, std::uint64_t most_bytes)
      : handle_(std::move(handle)), bytes_left_(most_bytes) {
    sqlite3_progress_handler(handle_.get(), steps_between_looks, &SqliteDatabase::too_long, this);
  }

  std::string select(const std::string& sql, std::span<const std::string> values,
                     const EachRow& each) override {
    sqlite3_stmt* prepared = nullptr;
    last_row_ = Clock::now();
    if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), static_cast<int>(sql.size()), &prepared,
                           nullptr) != SQLITE_OK)
      return sqlite3_errmsg(handle_.get());
    const Statement statement(prepared);
    if (statement == nullptr || sqlite3_stmt_readonly(prepared) == 0) return "not a query";
    for (std::size_t i = 0; i < values.size(); ++i)
      sqlite3_bind_text(prepared, static_cast<int>(i) + 1, values[i].data(),
                        static_cast<int>(values[i].size()), SQLITE_STATIC);
    std::vector<Cell> row(static_cast<std::size_t>(sqlite3_column_count(prepared)));
    for (;;) {
      const int result = sqlite3_step(prepared);
      if (result == SQLITE_DONE) return {};
      if (result == SQLITE_INTERRUPT) return "it takes too long";
      if (result != SQLITE_ROW) return sqlite3_errmsg(handle_.get());
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = cell_of(prepared, static_cast<int>(i));
      if (!take(row)) return "it gives more than it can hold";
      if (!each(row)) return {};
      last_row_ = Clock::now();  // what the receiver took is not the query's
    }
  }

 private:
  static int too_long(void* self) {
    return Clock::now() - static_cast<SqliteDatabase*>(self)->last_row_ > patience ? 1 : 0;
  }

  bool take(const std::vector<Cell>& row) {
    constexpr std::uint64_t least_bytes = 4;  // of a row in a file
    std::uint64_t bytes = least_bytes;
    for (const Cell& cell : row) bytes += cell.bytes.size();
    if (bytes > bytes_left_) return false;
    bytes_left_ -= bytes;
    return true;
  }

  Handle handle_;
  std::uint64_t bytes_left_;
  Clock::time_point last_row_{};
};

void distrust(sqlite3* database) {
  struct Switch {
    int name, value;
  };
  constexpr std::array switches{
      Switch{SQLITE_DBCONFIG_DEFENSIVE, 1},      Switch{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      Switch{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, Switch{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
      Switch{SQLITE_DBCONFIG_DQS_DML, 0},        Switch{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
  };
  for (const Switch& each : switches) sqlite3_db_config(database, each.name, each.value, nullptr);
  constexpr std::array limits{
      Switch{SQLITE_LIMIT_LENGTH, static_cast<int>(longest_row)},
      Switch{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
      Switch{SQLITE_LIMIT_ATTACHED, 0},
      Switch{SQLITE_LIMIT_WORKER_THREADS, 0},
  };
  for (const Switch& each : limits) sqlite3_limit(database, each.name, each.value);
  sqlite3_exec(database, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", nullptr, nullptr,
               nullptr);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void skein_containers_open_database(
    const std::string& path, std::uint64_t most_bytes, OpenedDatabase& opened) {
  sqlite3* raw = nullptr;
  const int result =
      sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  Handle handle(raw);
  if (result != SQLITE_OK) {
    opened.problem = raw != nullptr ? sqlite3_errmsg(raw) : "out of memory";
    return;
  }
  distrust(raw);
  auto database = std::make_unique<SqliteDatabase>(std::move(handle), most_bytes);
  // Only reading shows whether it is a database at all.
  opened.problem =
      database->select("SELECT count(*) FROM sqlite_schema", {}, [](Row) { return true; });
  if (opened.problem.empty()) opened.database = database.release();
}

static_assert(std::is_same_v<decltype(&skein_containers_open_database), OpenDatabaseFunction>);

}  // namespace skein::exchange::importers
