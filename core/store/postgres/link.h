// What skein asks of the module that knows libpq. See core/text/module.h for what may cross.
#pragma once

#include "core/text/std.h"

#include "core/text/module.h"

namespace skein::store::postgres {

// The types of values we send and take, by the numbers PostgreSQL gave them.
enum class Type : std::uint32_t {
  boolean = 16,
  bytes = 17,
  integer = 20,  // of 64 bits
  text = 25,
  byte_array = 1001,
  text_array = 1009,
  integer_array = 1016,
};

// A value in PostgreSQL's binary form.
struct SqlValue {
  Type type{};
  Bytes bytes{};
  bool null = false;
};
using Row = View<SqlValue>;  // valid until the next

// Prepared on a connection when it is first run there, unless it has no name: then it is run once.
// The values never become part of the text.
struct Statement {
  const char* name;
  const char* sql;
};

struct Problem {
  enum class Kind {
    none,
    lost,     // there is no connection any more: whether it was done is not known
    said_no,  // the server, for the reason that `state` says
    absurd,   // the server does not keep to what was agreed
    stopped,  // the user would not wait: there is no connection any more, and it may have been done
  };
  Kind kind = Kind::none;
  std::string state{};  // SQLSTATE
  std::string constraint{};
  std::string text{};
  explicit operator bool() const { return kind != Kind::none; }
};

// A Problem as it crosses; valid until the link is used again.
struct ProblemView {
  Problem::Kind kind;
  Bytes state, constraint, text;
};

class LibpqLink;  // one connection; known to the module only

// What an address says: several of `host`, as people call them, and of `socket_folder`; `problem`:
// why it is none.
enum class AddressPart { host, socket_folder, database, user, password_file, problem };

struct PostgresModule {
  static constexpr const char *file = "skein_postgres", *purpose = "database";
  const char* version;
  // Without a connection being made.
  void (*describe)(Bytes address, Callback<void(AddressPart, Bytes)> each) noexcept;

  // Everything that waits ends when `goes_on` returns false: the user would not wait.
  using GoesOn = Callback<bool()>;
  // The first of the address's hosts that will do. Null: `problem` says why.
  LibpqLink* (*connect)(Bytes address, int connect_ms, GoesOn goes_on, TextSink problem) noexcept;
  void (*close)(LibpqLink* link) noexcept;
  // Gives each row once all have come. `changed`: how many rows were inserted, updated or deleted.
  ProblemView (*run)(LibpqLink* link, const Statement& statement, View<SqlValue> values,
                     GoesOn goes_on, Callback<void(Row)> each, std::uint64_t* changed) noexcept;
  // Several statements without values.
  ProblemView (*run_script)(LibpqLink* link, Bytes sql, GoesOn goes_on) noexcept;
  // Readable when the server has something to say unasked; -1: there is no connection any more.
  int (*descriptor)(const LibpqLink* link) noexcept;
  // What those who notify have said so far.
  ProblemView (*take_news)(LibpqLink* link, Callback<void(Bytes)> each) noexcept;
};

// No answer is larger than this: we never ask for so much.
inline constexpr std::size_t largest_answer = std::size_t{64} << 20;
inline constexpr int most_notices = 1000;  // in one answer

}  // namespace skein::store::postgres
