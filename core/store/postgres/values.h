// Values on their way to a server and back, in PostgreSQL's binary form: numbers in network order,
// texts as they are, arrays with a head of their own.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/postgres/link.h"
#include "core/text/base.h"

namespace skein::store::postgres {

// The values of one statement, in its order. Texts and bytes are only looked at: they must outlive
// this.
class Values {
 public:
  Values& integer(std::int64_t number);
  Values& id(Id id) { return integer(static_cast<std::int64_t>(id.value)); }
  Values& text(std::string_view text) { return add(Type::text, text); }
  Values& bytes(std::string_view bytes) { return add(Type::bytes, bytes); }
  Values& truth(bool value);
  Values& no_integer();  // a null
  Values& integers(std::span<const std::int64_t> numbers);
  Values& byte_strings(std::span<const std::string_view> strings) {
    return strings_of(Type::byte_array, Type::bytes, strings);
  }
  Values& texts(std::span<const std::string_view> strings) {
    return strings_of(Type::text_array, Type::text, strings);
  }

  operator std::span<const Value>() const { return values_; }

 private:
  Values& add(Type type, std::string_view bytes);
  Values& keep(Type type, std::string bytes);
  Values& strings_of(Type array, Type element, std::span<const std::string_view> strings);

  std::vector<Value> values_{};
  std::deque<std::string> kept_{};
};

// A row that was sent to us, column after column. Whether all of them were what was asked for is
// known at the end.
class Columns {
 public:
  explicit Columns(Row row) : row_(row) {}

  std::int64_t integer();
  std::optional<std::int64_t> maybe_integer();
  Id id() { return Id{static_cast<std::uint64_t>(integer())}; }
  std::string_view text();
  std::string_view bytes();
  bool truth();
  bool fit() const { return fit_ && at_ == row_.size(); }

 private:
  std::string_view next(Type type);

  Row row_;
  std::size_t at_ = 0;
  bool fit_ = true;
};

}  // namespace skein::store::postgres
