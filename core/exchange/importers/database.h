// Another program's SQLite database, read from a copy. Only real tables are: a view, a virtual
// table or a column that is computed under the name of one is as if it were not there.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/importers/containers.h"
#include "core/exchange/importers/private_copy.h"
#include "core/exchange/importers/source_file.h"

namespace skein::exchange::importers {

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
  bool each_row(const Query& query, const EachRow& each);
  // Empty: there is no such table.
  const std::vector<std::string>& columns(const std::string& table);
  bool has(const std::string& table) { return !columns(table).empty(); }
  bool has_rows(const std::string& table);

 private:
  PrivateCopy copy_;
  std::unique_ptr<OpenDatabase> open_{};
  std::map<std::string, std::vector<std::string>> columns_{};
};

// Whether the file is a database, and one that has this table; the name it usually has, perhaps
// with more before its ending, tells where the beginning of the file does not.
bool is_database_with(const SourceFile& file, std::string_view table, std::string_view usual_name);

}  // namespace skein::exchange::importers
