// What the store answers with: a value, or the failure that stood in its way.
#pragma once

#include "core/model/entry.h"
#include "core/model/payloads.h"
#include "core/model/state.h"

namespace skein::store {

// The words of core/model that the whole store speaks.
using model::Entry;
using model::EntryFacts;
using model::Position;
using model::SessionState;
namespace payload = model::payload;
namespace type = model::type;

struct Failure {
  enum class Kind {
    conflict,             // the tail is not the expected one
    id_conflict,          // an id is taken by another content
    busy,                 // another process holds the lock for too long
    gone,                 // the session is not there (any more)
    no_space,             // the disk is full: nothing was written, the caller still has the batch
    read_only,            // may be read, not written
    damaged,              // cannot be trusted to be written to
    unsupported_version,  // made by a newer skein
    refused,              // the entries themselves are not acceptable
    io,                   // the disk reports an error
    unreachable,  // no connection to the store: whether it was done is not known. The caller
                  // still has the batch, and may send it again
  };
  Kind kind{};
  std::string text{};            // the sentence for the user
  std::optional<Id> tail{};      // with conflict: the tail there is
  std::vector<Entry> arrived{};  // with conflict: what others wrote since the expected tail
  bool missing = false;  // with gone: surely. On a network disk a name may be stale for a while
};
inline ExitStatus exit_status_of(const Failure& failure) {
  switch (failure.kind) {
    case Failure::Kind::conflict: return ExitStatus::conflict;
    case Failure::Kind::gone: return ExitStatus::no_session;
    case Failure::Kind::id_conflict:
    case Failure::Kind::refused: return ExitStatus::usage;
    default: return ExitStatus::storage;
  }
}

// True if it holds a value; only then may the value be asked for, and only else the error.
template <class Value>
class [[nodiscard]] Result {
 public:
  Result(Value value) : held_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : held_(std::in_place_index<1>, std::move(failure)) {}

  explicit operator bool() const { return held_.index() == 0; }
  Value& value() & { return std::get<0>(held_); }
  const Value& value() const& { return std::get<0>(held_); }
  Value&& value() && { return std::get<0>(std::move(held_)); }
  Value& operator*() & { return value(); }
  const Value& operator*() const& { return value(); }
  Value&& operator*() && { return std::move(*this).value(); }
  Value* operator->() { return &value(); }
  const Value* operator->() const { return &value(); }
  const Failure& error() const { return std::get<1>(held_); }

 private:
  std::variant<Value, Failure> held_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Failure failure) : failed_(std::move(failure)) {}

  explicit operator bool() const { return !failed_; }
  void value() const {}
  const Failure& error() const { return failed_.value(); }

 private:
  std::optional<Failure> failed_{};
};

// The value of a Result; if it has none, the function returns the failure. Only as a statement or
// as all of an initializer: other parts of the same expression might not be destroyed on return.
#define TRY(...)                                  \
  __extension__({                                 \
    auto&& tried = (__VA_ARGS__);                 \
    if (!tried) return tried.error();             \
    std::forward<decltype(tried)>(tried).value(); \
  })

// The value, or the failure as an Error with its exit status: for those who cannot act on it.
template <class Value>
Value value_or_throw(Result<Value> result) {
  if (!result) throw Error(result.error().text, exit_status_of(result.error()));
  if constexpr (!std::is_void_v<Value>) return std::move(result).value();
}

}  // namespace skein::store
