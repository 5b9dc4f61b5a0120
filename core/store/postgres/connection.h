// A connection to the database a home is in: made again when it is lost, and only used while what
// it needs to keep its promises is there.
#pragma once

#include "core/store/postgres/link.h"
#include "core/store/result.h"
#include "core/text/base.h"

namespace skein::store::postgres {

// The values of one statement, in its order. Texts and bytes are only looked at: they must outlive
// this.
// They are in PostgreSQL's binary form: numbers in network order, texts unchanged, arrays with a
// head.
class SqlValues {
 public:
  template <std::integral Number>
  SqlValues& integer(Number number) {
    return keep(Type::integer, in_network_order(static_cast<std::uint64_t>(number)));
  }
  SqlValues& id(Id id) { return integer(id.value); }
  SqlValues& text(std::string_view text) { return add(Type::text, text); }
  SqlValues& bytes(std::string_view bytes) { return add(Type::bytes, bytes); }
  SqlValues& truth(bool value);
  SqlValues& integers(std::span<const std::int64_t> numbers);
  SqlValues& byte_strings(std::span<const std::string_view> strings) {
    return strings_of(Type::byte_array, Type::bytes, strings);
  }
  SqlValues& texts(std::span<const std::string_view> strings) {
    return strings_of(Type::text_array, Type::text, strings);
  }

  operator std::span<const SqlValue>() const { return values_; }

 private:
  static std::string in_network_order(std::uint64_t number);
  SqlValues& add(Type type, std::string_view bytes);
  SqlValues& keep(Type type, std::string bytes);
  SqlValues& strings_of(Type array, Type element, std::span<const std::string_view> strings);

  std::vector<SqlValue> values_{};
  std::deque<std::string> kept_{};
};

// A row that was sent to us, column after column. Whether all of them were what was asked for is
// checked at the end.
class Columns {
 public:
  explicit Columns(Row row) : row_(row) {}

  std::int64_t integer();
  Id id() { return Id{static_cast<std::uint64_t>(integer())}; }
  std::string_view text();
  std::string_view bytes();
  bool truth();
  void refuse() { fit_ = false; }  // it cannot be what was asked for
  bool fit() const { return fit_ && at_ == row_.size(); }

 private:
  std::string_view next(Type type);

  Row row_;
  std::size_t at_ = 0;
  bool fit_ = true;
};

// What an address says, without a connection being made.
struct DatabaseTarget {
  std::vector<std::string> hosts{};  // as people call them: host:port, or the socket's path
  std::string database{};
  std::string user{};
  std::string password_file{};
  std::vector<std::string> socket_folders{};
  std::string problem{};  // why it is none
};

// Whether it is an address: postgresql:// or postgres://. Asking this loads nothing; the module
// with libpq is loaded when any of the others is first called.
bool is_address(std::string_view home);
// What it says; throws Error (usage) if it is none, or holds a password.
DatabaseTarget described_address(const std::string& address);
// Who it is for people: postgresql://user@host:port/database.
std::string shown_address(const std::string& address);

// How long a server is waited for.
struct Waiting {
  int connect_ms = 10'000;
  // Counts how often the user wanted things to end; one more, and no call waits any longer.
  std::function<unsigned()> interrupts = [] { return 0u; };
};

// One connection, in the module.
class Link {
 public:
  Link(LibpqLink* link, std::function<unsigned()> interrupts)
      : link_(link), interrupts_(std::move(interrupts)) {}

  // Gives each row once all have come. `changed`: how many rows were inserted, updated or deleted.
  Problem run(const Statement& statement, std::span<const SqlValue> values,
              const std::function<void(Row)>& each, std::uint64_t& changed);
  // Several statements without values: for schemas.
  Problem run_script(const std::string& sql);
  // Readable when the server has something to say unasked; -1: there is no connection any more.
  int descriptor() const;
  // What those who notify have said so far.
  Problem take_news(const std::function<void(std::string_view)>& each);

 private:
  struct Close {
    void operator()(LibpqLink* link) const;
  };
  std::unique_ptr<LibpqLink, Close> link_;
  std::function<unsigned()> interrupts_;
};

// `unreachable`: there is no server that will do, or the user would not wait for one.
Result<std::unique_ptr<Link>> open_link(const std::string& address, const Waiting& waiting = {});

// Of the tables of a home: see schema.h.
inline constexpr int schema_format = 2;
std::optional<std::size_t> format_number(const std::string& format);
// What is wrong with a database of this format; empty: nothing. `shown` is what people call it.
std::string format_problem(const std::string& format, const std::string& shown);

using TakeRow = std::function<void(Columns&)>;

// What became of a statement that was sent once.
struct StatementOutcome {
  Problem problem{};
  std::uint64_t changed = 0;
  bool lost() const { return problem.kind == Problem::Kind::lost; }
  bool violates(std::string_view constraint) const;  // one that makes values unique
};

class Connection {
 public:
  using Tell = std::function<void(const std::string&)>;
  using Interrupts = std::function<unsigned()>;  // as Waiting has it
  // `tell` is given what a user should know. Throws Error (storage) if there is no connection, or
  // one that could lose what it has acknowledged.
  Connection(
      std::string address, Tell tell, Interrupts interrupts = [] { return 0u; });

  // Once. A caller that gets `lost` does not know whether it was done.
  StatementOutcome attempt(const Statement& statement, std::span<const SqlValue> values,
                           const TakeRow& each = {});
  // For what may be asked twice: if the connection is lost, it is asked again on a new one.
  Result<std::uint64_t> ask(const Statement& statement, std::span<const SqlValue> values,
                            const TakeRow& each = {});
  // Waits for a server that can be written to, as long as a failover may take; unless a caller is
  // impatient, then it is tried once.
  Result<void> reconnect();
  Failure failure_of(const Problem& problem) const;
  // As long as it lives, no call waits for a server that does not answer at once.
  class Impatience {
   public:
    explicit Impatience(Connection& connection, bool really = true)
        : connection_(connection), before_(connection.impatient_) {
      connection_.impatient_ = really || before_;
    }
    ~Impatience() { connection_.impatient_ = before_; }
    Impatience(const Impatience&) = delete;
    Impatience& operator=(const Impatience&) = delete;

   private:
    Connection& connection_;
    const bool before_;
  };

  // To be notified of what others write. Lost with the connection, and not asked for again by
  // itself.
  Result<void> listen();
  int descriptor() const { return link_ ? link_->descriptor() : -1; }
  // False: the connection is lost.
  bool take_news(const std::function<void(std::string_view)>& each);

  void tell(const std::string& what) const {
    if (tell_) tell_(what);
  }
  const std::string& address() const { return address_; }
  const Interrupts& interrupts() const { return interrupts_; }

 private:
  Result<void> connect(int patience_ms);
  Result<void> check();

  const std::string address_;
  const Tell tell_;
  const Interrupts interrupts_;
  bool told_ = false;
  bool impatient_ = false;
  std::unique_ptr<Link> link_{};
};

}  // namespace skein::store::postgres
