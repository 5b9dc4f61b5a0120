// The libraries behind containers.h: SQLite and Zstandard.
//
// SQLite reads files of other programs. Nothing the file says is obeyed: its views, triggers and
// functions are off, its rows have a limit, and a query that finds nothing for long is stopped.
// Zstandard is read frame after frame, as a stream.
#include "core/text/std.h"

#include <sqlite3.h>
#include <zstd.h>

#include "core/import/source/containers.h"

namespace skein::importers {

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
using SqliteHandle = std::unique_ptr<sqlite3, CloseDatabase>;
using SqliteStatement = std::unique_ptr<sqlite3_stmt, EndStatement>;

Cell cell_of(sqlite3_stmt* statement, int column) {
  const auto bytes = [&](const void* data) {
    const int size = sqlite3_column_bytes(statement, column);
    return data == nullptr || size <= 0
               ? Bytes()
               : Bytes(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT: return {.integer = sqlite3_column_int64(statement, column)};
    case SQLITE_TEXT: return {.bytes = bytes(sqlite3_column_text(statement, column))};
    case SQLITE_BLOB: return {.bytes = bytes(sqlite3_column_blob(statement, column))};
    default: return {};
  }
}

}  // namespace

class OpenDatabase {
 public:
  OpenDatabase(SqliteHandle handle, std::uint64_t most_bytes)
      : handle_(std::move(handle)), bytes_left_(most_bytes) {
    sqlite3_progress_handler(handle_.get(), steps_between_looks, &OpenDatabase::too_long, this);
  }

  // What went wrong; empty: nothing.
  std::string select(Bytes sql, View<Bytes> values, const Callback<bool(DatabaseRow)>& each) {
    sqlite3_stmt* prepared = nullptr;
    last_row_ = Clock::now();
    if (sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &prepared,
                           nullptr) != SQLITE_OK)
      return sqlite3_errmsg(handle_.get());
    const SqliteStatement statement(prepared);
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
      if (!take(row)) return "it returns more data than the file can hold";
      if (!each(row)) return {};
      last_row_ = Clock::now();  // what the receiver took is not the query's
    }
  }

 private:
  static int too_long(void* self) {
    return Clock::now() - static_cast<OpenDatabase*>(self)->last_row_ > patience ? 1 : 0;
  }

  bool take(const std::vector<Cell>& row) {
    constexpr std::uint64_t least_bytes = 4;  // of a row in a file
    std::uint64_t bytes = least_bytes;
    for (const Cell& cell : row) bytes += cell.bytes.size();
    if (bytes > bytes_left_) return false;
    bytes_left_ -= bytes;
    return true;
  }

  SqliteHandle handle_;
  std::uint64_t bytes_left_;
  Clock::time_point last_row_{};
};

namespace {

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

struct EndStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

OpenDatabase* open_database(Bytes path, std::uint64_t most_bytes, TextSink problem) noexcept {
  std::unique_ptr<OpenDatabase> opened;
  report_exceptions(problem, [&] {
    sqlite3* raw = nullptr;
    const int result = sqlite3_open_v2(std::string(path).c_str(), &raw,
                                       SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    SqliteHandle handle(raw);
    if (result != SQLITE_OK)
      return problem(std::string_view(raw != nullptr ? sqlite3_errmsg(raw) : "out of memory"));
    distrust(raw);
    auto database = std::make_unique<OpenDatabase>(std::move(handle), most_bytes);
    // Only reading shows whether it is a database at all.
    const std::string wrong =
        database->select(std::string_view("SELECT count(*) FROM sqlite_schema"), {},
                         {[](void*, DatabaseRow) noexcept { return true; }});
    if (!wrong.empty()) return problem(wrong);
    opened = std::move(database);
  });
  return opened.release();
}

void close_database(OpenDatabase* database) noexcept { delete database; }

void select(OpenDatabase* database, Bytes sql, View<Bytes> values, Callback<bool(DatabaseRow)> each,
            TextSink problem) noexcept {
  report_exceptions(problem, [&] { problem(database->select(sql, values, each)); });
}

// What went wrong; empty: nothing.
std::string unpacked(const Callback<std::size_t(char*, std::size_t)>& source,
                     const Callback<bool(Bytes)>& sink) {
  const std::unique_ptr<ZSTD_DStream, EndStream> stream(ZSTD_createDStream());
  if (stream == nullptr) return "out of memory";
  std::vector<char> packed(ZSTD_DStreamInSize()), unpacked(ZSTD_DStreamOutSize());
  std::size_t missing = 0;  // of the frame that was begun, as a hint; 0: it is whole
  for (std::size_t size; (size = source(packed.data(), packed.size())) > 0;) {
    ZSTD_inBuffer in{packed.data(), size, 0};
    // A full buffer of output may mean that there is more without more input.
    bool more = false;
    while (in.pos < in.size || more) {
      ZSTD_outBuffer out{unpacked.data(), unpacked.size(), 0};
      missing = ZSTD_decompressStream(stream.get(), &out, &in);
      if (ZSTD_isError(missing) != 0) return ZSTD_getErrorName(missing);
      if (out.pos > 0 && !sink({unpacked.data(), out.pos})) return {};
      more = out.pos == out.size && missing != 0;
    }
  }
  return missing != 0 ? "its end is missing" : "";
}

void unpack(Callback<std::size_t(char*, std::size_t)> source, Callback<bool(Bytes)> sink,
            TextSink problem) noexcept {
  report_exceptions(problem, [&] { problem(unpacked(source, sink)); });
}

}  // namespace

extern "C" const ContainersModule skein_module{SKEIN_VERSION, open_database, close_database, select,
                                               unpack};

}  // namespace skein::importers
