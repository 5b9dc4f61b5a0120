// What skein asks of the module that knows SQLite and Zstandard, which some programs keep their
// sessions in. The module links nothing of skein, so everything here is inline or abstract; what
// goes wrong there comes back as words, never as an exception of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace skein::exchange::importers {

// One column of a row. `bytes` is valid until the next row.
struct Cell {
  enum class Kind { null, integer, real, text, blob } kind = Kind::null;
  std::int64_t integer = 0;
  std::string_view bytes{};  // of a text or a blob
};
using Row = std::span<const Cell>;
using EachRow = std::function<bool(Row)>;  // false: no more of them

class OpenDatabase {
 public:
  virtual ~OpenDatabase() = default;
  // Gives each row of a SELECT whose `?` are `values`. What went wrong; empty: nothing. Exceptions
  // of `each` pass through.
  virtual std::string select(const std::string& sql, std::span<const std::string> values,
                             const EachRow& each) = 0;
};

struct OpenedDatabase {
  OpenDatabase* database = nullptr;  // the caller's to delete
  std::string problem{};
};
// `most_bytes`: a damaged or hostile file can claim the same page many times over and have rows
// without end; all queries together give no more than this.
using OpenDatabaseFunction = void (*)(const std::string& path, std::uint64_t most_bytes,
                                      OpenedDatabase& opened);
inline constexpr const char* open_database_symbol = "skein_containers_open_database";

using ByteSource = std::function<std::size_t(std::span<char>)>;  // 0: at the end
using ByteSink = std::function<bool(std::string_view)>;          // false: no more
// What Zstandard frames hold. `problem` stays empty if they are whole, or the sink wanted no more.
using UnpackFunction = void (*)(const ByteSource& source, const ByteSink& sink,
                                std::string& problem);
inline constexpr const char* unpack_symbol = "skein_containers_unpack";

inline constexpr std::size_t longest_row = std::size_t{64} << 20;

}  // namespace skein::exchange::importers
