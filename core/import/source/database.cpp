#include "core/import/source/database.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::importers {

namespace {

std::uint64_t copy_bytes(const SourceFile& from, const std::string& to) {
  const Fd file(open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  std::uint64_t done = 0;
  for (;;) {
    const std::string piece = from.read(done, std::size_t{1} << 20);
    if (!file || !write_all(file.get(), piece))
      throw Error("cannot copy " + from.path() + " to " + to + ": " + std::strerror(errno));
    if (piece.empty()) return done;
    done += piece.size();
  }
}

constexpr std::size_t log_header_bytes = 32;

// What changes when a checkpoint moves the log into the database, or the log starts again.
struct Standing {
  std::uint64_t size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;
  std::string log_begins{};
  bool operator==(const Standing&) const = default;
};

Standing standing_of(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return {};
  return {static_cast<std::uint64_t>(facts.st_size), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec,
          file_beginning(path + "-wal", log_header_bytes)};
}

// Copies a database and what its program has not yet put into it (its -wal), so that the original
// is never touched, not even by a lock. How many bytes these are. Throws Error if there is no room.
std::uint64_t copy_database(const SourceFile& database, const std::string& to) {
  constexpr int tries = 3;  // a copy that was disturbed each time is read for what it is
  std::uint64_t bytes = 0;
  for (int i = 0; i < tries; ++i) {
    const Standing before = standing_of(database.path());
    const std::string log = to + "-wal";
    bytes = copy_bytes(database, to);
    const auto from = SourceFile::open(database.path() + "-wal");
    if (const auto* opened = std::get_if<SourceFile>(&from))
      bytes += copy_bytes(*opened, log);
    else
      unlink(log.c_str());
    if (standing_of(database.path()) == before) break;
  }
  return bytes;
}

// No row is asked for more than a few times, and each has its own place in the file.
std::uint64_t most_bytes(std::uint64_t size) { return 8 * size + (std::uint64_t{16} << 20); }

std::string identifier(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

}  // namespace

PrivateFolder::PrivateFolder() : path(temporary_folder() + "/skein-XXXXXX") {
  if (mkdtemp(path.data()) == nullptr)  // 0700
    throw Error("cannot make a folder in " + temporary_folder() + ": " + std::strerror(errno));
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

Database::Database(const SourceFile& file) {
  const std::string copy = folder_.path + "/db";
  const std::uint64_t size = copy_database(file, copy);
  std::string problem;
  open_.reset(
      module_functions<ContainersModule>().open_database(copy, most_bytes(size), into(problem)));
  if (!open_) throw Error("cannot read " + file.path() + " as an SQLite database: " + problem);
}

void Database::Close::operator()(OpenDatabase* database) const {
  module_functions<ContainersModule>().close_database(database);
}

bool Database::select(const std::string& sql, const std::vector<Bytes>& values,
                      const EachDatabaseRow& each) {
  Callbacks callback;
  std::string problem;
  module_functions<ContainersModule>().select(open_.get(), sql, values, callback(each),
                                              into(problem));
  callback.rethrow();
  return problem.empty();
}

const std::vector<std::string>& Database::columns(const std::string& table) {
  const auto [place, added] = columns_.try_emplace(table);
  if (!added) return place->second;
  bool real = false;
  const std::vector<Bytes> name{table};
  select("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name = ?", name,
         [&](DatabaseRow) {
           real = true;
           return false;
         });
  if (real)
    select("SELECT name FROM pragma_table_info(?)", name, [&](DatabaseRow row) {
      place->second.emplace_back(row[0].bytes);
      return true;
    });
  return place->second;
}

bool Database::each_row(const Query& query, const EachDatabaseRow& each) {
  const std::vector<std::string>& there = columns(query.table);
  const auto has_column = [&](const std::string& name) {
    return std::ranges::find(there, name) != there.end();
  };
  if (there.empty()) return true;
  if (!query.where.empty() && !has_column(query.where)) return true;
  const std::string wanted = listed(query.columns, ", ", [&](const std::string& column) {
    return has_column(column) ? identifier(column) : "NULL";
  });
  std::string sql = "SELECT " + wanted + " FROM " + identifier(query.table), order;
  if (!query.where.empty()) sql += " WHERE " + identifier(query.where) + " = ?";
  for (const std::string& column : query.order)
    if (has_column(column)) order += (order.empty() ? " ORDER BY " : ", ") + identifier(column);
  std::vector<Bytes> values;
  if (!query.where.empty()) values.push_back(query.equals);
  return select(sql + order, values, each);
}

bool is_database_with(const SourceFile& file, std::string_view table, std::string_view usual_name) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  const std::string head = file.head();
  if (!head.starts_with(magic)) return false;
  const std::string name = file.name();
  const std::size_t ending = usual_name.rfind('.');
  if (name.starts_with(usual_name.substr(0, ending)) && name.ends_with(usual_name.substr(ending)))
    return true;
  for (const char* quote : {" ", " `", " \"", " IF NOT EXISTS "}) {
    const std::string words = "CREATE TABLE" + std::string(quote) + std::string(table);
    const std::size_t at = head.find(words);
    if (at == std::string::npos) continue;
    const std::string_view next = std::string_view(head).substr(at + words.size(), 1);
    if (next.find_first_of(" (`\"\n") == 0) return true;
  }
  return false;
}

}  // namespace skein::importers
