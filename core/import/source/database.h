// Another program's SQLite database, read from a copy. Only real tables are: a view, a virtual
// table or a column that is computed under the name of one is as if it were not there.
#pragma once

#include "core/text/std.h"

#include "core/import/source/containers.h"
#include "core/import/source/source_file.h"
#include "core/text/io.h"

namespace skein::importers {

// A folder that only we may look into, removed in the end. Throws Error if it cannot be made.
struct PrivateFolder {
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  std::string path{};
};

using EachDatabaseRow = std::function<bool(DatabaseRow)>;  // false: no more of them

class Database {
 public:
  // Throws Error if it cannot be copied, or is none.
  explicit Database(const SourceFile& file);

  struct Query {
    std::string table{};
    std::vector<std::string> columns{};  // those the table lacks come as null
    std::string where{}, equals{};       // a column and its text; empty: all rows
    std::vector<std::string> order{};    // by those columns that are there
  };
  // False: something in the file is wrong, and there may have been more rows.
  bool each_row(const Query& query, const EachDatabaseRow& each);
  // Empty: there is no such table.
  const std::vector<std::string>& columns(const std::string& table);
  bool has(const std::string& table) { return !columns(table).empty(); }

 private:
  struct Close {
    void operator()(OpenDatabase* database) const;
  };
  // False: it could not be done, or not to the end. What `each` throws passes through.
  bool select(const std::string& sql, const std::vector<Bytes>& values,
              const EachDatabaseRow& each);

  PrivateFolder folder_{};
  std::unique_ptr<OpenDatabase, Close> open_{};
  std::map<std::string, std::vector<std::string>> columns_{};
};

// Whether the file is a database, and one that has this table; the name it usually has, perhaps
// with more before its ending, tells where the beginning of the file does not.
bool is_database_with(const SourceFile& file, std::string_view table, std::string_view usual_name);

}  // namespace skein::importers
