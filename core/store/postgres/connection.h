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
  // `tell` is given what a user should know. Throws Error (storage) if there is no connection, or
  // one that could lose what it has acknowledged.
  Connection(std::string address, Tell tell);

  // Once. Whoever gets `lost` does not know whether it was done.
  Outcome attempt(const Statement& statement, std::span<const Value> values,
                  const TakeRow& each = {});
  // For what may be asked twice: if the connection is lost, it is asked again on a new one.
  Result<std::uint64_t> ask(const Statement& statement, std::span<const Value> values,
                            const TakeRow& each = {});
  // Waits for a server that can be written to, as long as a failover may take.
  Result<void> reconnect();
  Failure failure_of(const Problem& problem) const;

  const std::string& address() const { return address_; }

 private:
  Result<void> connect(int patience_ms);
  Result<void> check();

  const std::string address_;
  const Tell tell_;
  bool told_ = false;
  std::unique_ptr<Link> link_{};
};

}  // namespace skein::store::postgres
