// What skein asks of the module that knows SQLite and Zstandard, which some programs keep their
// sessions in. See core/text/module.h for what may cross.
#pragma once

#include "core/text/std.h"

#include "core/text/module.h"

namespace skein::importers {

// One column of a row. `bytes` is valid until the next row.
struct Cell {
  std::int64_t integer = 0;  // of a number, without what is behind its point
  Bytes bytes{};             // of a text or a blob
};
using DatabaseRow = View<Cell>;

class OpenDatabase;  // known to the module only

struct ContainersModule {
  static constexpr const char *file = "skein_containers", *purpose = "container";
  const char* version;
  // Null: `problem` says why. `most_bytes`: a damaged or hostile file can claim the same page many
  // times over and have rows without end; all queries together give no more than this.
  OpenDatabase* (*open_database)(Bytes path, std::uint64_t most_bytes, TextSink problem) noexcept;
  void (*close_database)(OpenDatabase* database) noexcept;
  // Gives each row of a SELECT whose `?` are `values`; false: no more of them.
  void (*select)(OpenDatabase* database, Bytes sql, View<Bytes> values,
                 Callback<bool(DatabaseRow)> each, TextSink problem) noexcept;
  // What Zstandard frames hold. `source` fills a buffer and says how far; 0: at the end. `sink`
  // returns false if it wants no more. `problem` stays empty then, and if the frames are whole.
  void (*unpack)(Callback<std::size_t(char* buffer, std::size_t size)> source,
                 Callback<bool(Bytes)> sink, TextSink problem) noexcept;
};

inline constexpr std::size_t longest_row = std::size_t{64} << 20;

}  // namespace skein::importers
