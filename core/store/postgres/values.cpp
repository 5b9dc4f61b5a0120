#include "core/store/postgres/values.h"

namespace skein::store::postgres {

namespace {

void put_number(std::string& out, std::uint64_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(number >> shift & 0xff);
}

// One dimension, no nulls, counted from 1.
std::string array_head(Type element, std::size_t count) {
  std::string out;
  put_number(out, count == 0 ? 0 : 1, 4);
  put_number(out, 0, 4);
  put_number(out, static_cast<std::uint32_t>(element), 4);
  if (count == 0) return out;
  put_number(out, count, 4);
  put_number(out, 1, 4);
  return out;
}

std::int64_t number_in(std::string_view bytes) {
  std::uint64_t out = 0;
  for (const char c : bytes) out = out << 8 | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(out);
}

}  // namespace

Values& Values::add(Type type, std::string_view bytes) {
  values_.push_back({type, bytes});
  return *this;
}

Values& Values::keep(Type type, std::string bytes) {
  return add(type, kept_.emplace_back(std::move(bytes)));
}

Values& Values::integer(std::int64_t number) {
  std::string out;
  put_number(out, static_cast<std::uint64_t>(number), 8);
  return keep(Type::integer, std::move(out));
}

Values& Values::no_integer() {
  values_.push_back({.type = Type::integer, .null = true});
  return *this;
}

Values& Values::truth(bool value) {
  return keep(Type::boolean, std::string(1, value ? '\1' : '\0'));
}

Values& Values::integers(std::span<const std::int64_t> numbers) {
  std::string out = array_head(Type::integer, numbers.size());
  out.reserve(out.size() + 12 * numbers.size());
  for (const std::int64_t number : numbers) {
    put_number(out, 8, 4);
    put_number(out, static_cast<std::uint64_t>(number), 8);
  }
  return keep(Type::integer_array, std::move(out));
}

Values& Values::strings_of(Type array, Type element, std::span<const std::string_view> strings) {
  std::string out = array_head(element, strings.size());
  std::size_t all = out.size();
  for (const std::string_view string : strings) all += 4 + string.size();
  out.reserve(all);
  for (const std::string_view string : strings) {
    put_number(out, string.size(), 4);
    out += string;
  }
  return keep(array, std::move(out));
}

std::string_view Columns::next(Type type) {
  if (at_ >= row_.size() || row_[at_].type != type || row_[at_].null) {
    ++at_;
    fit_ = false;
    return {};
  }
  return row_[at_++].bytes;
}

std::int64_t Columns::integer() {
  const std::string_view bytes = next(Type::integer);
  if (bytes.size() == 8) return number_in(bytes);
  fit_ = false;
  return 0;
}

std::optional<std::int64_t> Columns::maybe_integer() {
  if (at_ < row_.size() && row_[at_].null) return ++at_, std::nullopt;
  return integer();
}

std::string_view Columns::text() { return next(Type::text); }

std::string_view Columns::bytes() { return next(Type::bytes); }

bool Columns::truth() {
  const std::string_view bytes = next(Type::boolean);
  fit_ = fit_ && bytes.size() == 1;
  return bytes.size() == 1 && bytes[0] != '\0';
}

}  // namespace skein::store::postgres
