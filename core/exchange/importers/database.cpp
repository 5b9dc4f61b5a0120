#include "core/exchange/importers/database.h"

#include <algorithm>

#include "core/text/base.h"
#include "core/text/module.h"

namespace skein::exchange::importers {

namespace {

OpenDatabaseFunction open_function() {
  static const auto function = reinterpret_cast<OpenDatabaseFunction>(
      module_symbol("skein_containers", "container", open_database_symbol));
  return function;
}

// No row is asked for more than a few times, and each has a place of its own in the file.
std::uint64_t most_bytes(std::uint64_t size) { return 8 * size + (std::uint64_t{16} << 20); }

std::string identifier(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

}  // namespace

Database::Database(const SourceFile& file) : copy_(file) {
  OpenedDatabase opened;
  open_function()(copy_.path(), most_bytes(copy_.size()), opened);
  open_.reset(opened.database);
  if (!open_)
    throw Error("cannot read " + file.path() + " as an SQLite database: " + opened.problem);
}

const std::vector<std::string>& Database::columns(const std::string& table) {
  const auto [place, added] = columns_.try_emplace(table);
  if (!added) return place->second;
  bool real = false;
  const std::vector<std::string> name{table};
  open_->select("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name = ?",
                name, [&](Row) {
                  real = true;
                  return false;
                });
  if (real)
    open_->select("SELECT name FROM pragma_table_info(?)", name, [&](Row row) {
      place->second.emplace_back(row[0].bytes);
      return true;
    });
  return place->second;
}

bool Database::each_row(const Query& query, const EachRow& each) {
  const std::vector<std::string>& there = columns(query.table);
  const auto has_column = [&](const std::string& name) {
    return std::ranges::find(there, name) != there.end();
  };
  if (there.empty()) return true;
  if (!query.where.empty() && !has_column(query.where)) return true;
  std::string wanted, order;
  for (const std::string& column : query.columns)
    wanted += (wanted.empty() ? "" : ", ") + (has_column(column) ? identifier(column) : "NULL");
  std::string sql = "SELECT " + wanted + " FROM " + identifier(query.table);
  if (!query.where.empty()) sql += " WHERE " + identifier(query.where) + " = ?";
  for (const std::string& column : query.order)
    if (has_column(column)) order += (order.empty() ? " ORDER BY " : ", ") + identifier(column);
  std::vector<std::string> values;
  if (!query.where.empty()) values.push_back(query.equals);
  return open_->select(sql + order, values, each).empty();
}

bool Database::has_rows(const std::string& table) {
  bool found = false;
  if (has(table))
    each_row({.table = table, .columns = {columns(table).front()}}, [&](Row) {
      found = true;
      return false;
    });
  return found;
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

}  // namespace skein::exchange::importers
