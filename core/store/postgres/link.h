// What skein asks of the module that knows libpq. The module links nothing of skein, so everything
// here is inline or abstract; what goes wrong there comes back as words, never as an exception of
// its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
struct Value {
  Type type{};
  std::string_view bytes{};
  bool null = false;
};
using Row = std::span<const Value>;
using EachRow = std::function<void(Row)>;  // valid until the next

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

// One connection.
class Link {
 public:
  virtual ~Link() = default;
  // Gives each row once all have come. `changed`: how many rows were inserted, updated or deleted.
  virtual Problem run(const Statement& statement, std::span<const Value> values,
                      const EachRow& each, std::uint64_t& changed) = 0;
  // Several statements without values: for schemas.
  virtual Problem run_script(const std::string& sql) = 0;
  // Readable when the server has something to say unasked; -1: there is no connection any more.
  virtual int descriptor() const = 0;
  // What those who notify have said so far.
  virtual Problem take_news(const std::function<void(std::string_view)>& each) = 0;
};

// What an address says, without a connection being made.
struct Target {
  std::vector<std::string> hosts{};  // as people call them: host:port, or the socket's path
  std::string database{};
  std::string user{};
  std::string password_file{};
  std::vector<std::string> socket_folders{};
  std::string problem{};  // why it is none
};
using DescribeFunction = void (*)(const std::string& address, Target& target);
inline constexpr const char* describe_symbol = "skein_postgres_describe";

// How long a server is waited for.
struct Waiting {
  int connect_ms = 10'000;
  // Counts how often the user wanted things to end; one more, and nobody waits any longer.
  std::function<unsigned()> interrupts = [] { return 0u; };
};

struct Opened {
  Link* link = nullptr;  // the caller's to delete
  std::string problem{};
  bool stopped = false;  // by the user
};
// The first of the address's hosts that will do.
using ConnectFunction = void (*)(const std::string& address, const Waiting& waiting,
                                 Opened& opened);
inline constexpr const char* connect_symbol = "skein_postgres_connect";

// No answer is larger than this: we never ask for so much.
inline constexpr std::size_t largest_answer = std::size_t{64} << 20;
inline constexpr int most_notices = 1000;  // in one answer

}  // namespace skein::store::postgres
