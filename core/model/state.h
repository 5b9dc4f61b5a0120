// The current state of a session, folded from its entries one by one: title, model, head,
// snapshots, labels, redactions, counts. A value; the index keeps it so that a session can be
// opened without reading all of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/entry.h"
#include "core/model/leaves.h"

namespace skein::model {

using Position = std::uint64_t;  // of an entry in its session; grows with time

struct SessionState {
  std::string key{};  // if it differs from the header's
  std::string title{};
  bool title_given = false;  // by a title entry; else it comes from the first prompt
  std::string origin{};      // the format it was imported from; empty: it is our own
  std::string imported_at{};
  std::string model{};     // provider/model, as last changed or used
  std::string thinking{};  // level
  std::string system{};    // the override, if there is one
  std::optional<Position> runtime_init{};

  std::optional<Id> tail{};  // the last entry that is not marginal
  std::optional<Id> head{};  // the entry a new one will follow
  Position head_at = 0;      // 0: not known
  Leaves leaves{};

  std::map<std::string, Id> snapshots{};
  std::map<Id, std::string> labels{};
  std::set<Id> redacted{};
  std::set<Id>
      thinking_off{};  // of these and what is before them on a path, nothing sealed is sent
  std::vector<std::string> permissions{};  // rules given for this session
  std::string ttl{};                       // "30d": unused for so long, it goes to the trash
  bool pinned = false;                     // never archived or thrown away unasked
  std::optional<Id> unfinished{};  // an answer of which only pieces are there, as far as is known

  std::int64_t entries = 0;   // the header not counted
  std::int64_t messages = 0;  // by the user
  std::int64_t tool_calls = 0;
  std::int64_t duration_ms = 0;
  std::map<std::string, Usage> usage{};  // by provider/model
  std::string updated_at{};

  bool operator==(const SessionState&) const = default;
};

Usage total_usage(const SessionState& state);

// An entry as a scan finds it. `body` is the payload's text, possibly followed by `,"meta":…`.
struct EntryFacts {
  Id id{};
  std::optional<Id> parent{};
  std::string_view type{};
  std::string_view timestamp{};
  std::string_view body{};
  Position at = 0;
  std::string_view meta{};  // where it does not follow in `body`
};
EntryFacts facts_of(const Entry& entry, Position at);

// The state after one more entry. Entries come in the order they were written.
void fold(SessionState& state, const EntryFacts& entry);

// A title of at most 60 characters for a session with this first prompt; of a command, what was
// typed.
std::string title_from(const Message& prompt, std::string_view meta);
std::string title_from(std::string_view prompt);

}  // namespace skein::model
