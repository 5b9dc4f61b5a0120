// A connection to the database a home is in: made anew when it is lost, and only used while what it
// needs to keep its promises is there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/store/postgres/address.h"

namespace skein::store::postgres {

using TakeRow = std::function<bool(Row)>;  // false: not what was asked for

// What became of a statement that was sent once.
struct Outcome {
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

  // Once. Whoever gets `lost` does not know whether it was done.
  Outcome attempt(const Statement& statement, std::span<const Value> values,
                  const TakeRow& each = {});
  // For what may be asked twice: if the connection is lost, it is asked again on a new one.
  Result<std::uint64_t> ask(const Statement& statement, std::span<const Value> values,
                            const TakeRow& each = {});
  // Waits for a server that can be written to, as long as a failover may take; unless somebody is
  // impatient, then it is tried once.
  Result<void> reconnect();
  Failure failure_of(const Problem& problem) const;
  // As long as it lives, nobody waits for a server that does not answer at once.
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

  // To be told what others write. Lost with the connection, and not asked for again by itself.
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
