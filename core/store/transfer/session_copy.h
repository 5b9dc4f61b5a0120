// A session as one home has it, as far as it can be read, and how it compares with the copy of
// another home.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/store/backend.h"

namespace skein::store::transfer {

struct Placed {
  Id id{};
  Position at = 0;
  std::optional<Id> parent{};
  bool local = false;  // says only where the conversation goes on
  bool operator==(const Placed&) const = default;
};
bool is_local(std::string_view entry_type, std::string_view payload);

struct SessionCopy {
  StorageBackend& store;
  Id session{};
  SessionRecord record{};
  std::vector<Placed> entries{};
  Damage damage{};                      // without what was never acknowledged
  std::optional<Failure> unreadable{};  // all of it, and why
  bool is_damaged() const { return unreadable || damage.any(); }
  Position end() const { return damage.end; }
};
// `gone`: it is not there.
Result<SessionCopy> copy_in(StorageBackend& store, Id session);

std::unordered_set<Id> ids_of(const std::vector<Placed>& entries);

// Whether `part` is how `whole` begins, up to the end of a batch of lines.
bool begins(const SessionCopy& part, const SessionCopy& whole);
// The same up to a line in the middle of a batch, or without its newline: copying it was
// interrupted.
bool is_cut_short(const SessionCopy& part, const SessionCopy& whole);
// Of a damaged one: every entry that can be read is before the damage.
bool only_end_is_torn(const SessionCopy& copy);
// How many entries of `other` the source lacks; none: one of them cannot be brought, since it was
// altered or its parent is lost.
std::optional<std::size_t> lacking(const SessionCopy& source, const SessionCopy& other);

}  // namespace skein::store::transfer
