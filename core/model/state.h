// The current state of a session, folded from its entries one by one: title, model, head,
// snapshots, labels, redactions, counts. A value; the index stores it so that a session can be
// opened without reading all of it.
#pragma once

#include "core/model/entry.h"
#include "core/model/message.h"
#include "core/text/base.h"

namespace skein::model {

struct AnswerFooter {
  std::string_view provider{}, model{}, stop{};
  std::optional<Usage> usage{};
  std::int64_t duration_ms = 0;
  std::int64_t first_token_ms = 0;
};

// An answer's text in a transcript, taken apart by position where it is in exactly the form our
// own writer gives it. What is counted of an answer follows its content, which may be long.
struct RawAnswer {
  std::string_view content{};  // the array
  AnswerFooter footer{};
};

// `body` as a scan finds it. nullopt: another message, not in that form, or something follows.
std::optional<RawAnswer> read_answer(std::string_view body);

// Takes `expected` from the front of `text`, if it is there; a word in quotes without an escape.
bool take(std::string_view& text, std::string_view expected);
bool take_word(std::string_view& text, std::string_view& word);

// The ends of a session's branches, in order of their last growth.
class Leaves {
 public:
  Leaves() = default;
  Leaves(std::initializer_list<Id> ids) : Leaves(std::vector<Id>(ids)) {}
  Leaves(const std::vector<Id>& ids) {
    for (const Id id : ids) push_back(id);
  }

  std::size_t size() const { return order_.size(); }
  const Id& front() const { return order_.front(); }
  auto begin() const { return order_.begin(); }
  auto end() const { return order_.end(); }
  void push_back(Id id);
  void remove(Id id);  // if it is one
  void clear();
  bool operator==(const Leaves& other) const { return order_ == other.order_; }

 private:
  // Where there are many, most entries of a damaged file name a parent that is none of them: to
  // look through all for each would take a minute for 200,000.
  static constexpr std::size_t many = 64;
  std::vector<Id> order_{};
  std::unordered_set<Id> known_{};  // the same ids, once there are many
};

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

// "3 messages · 45.2k tokens (38% cached) · 7 tool calls · 2 min 5 s · $0.12". Older sessions did
// not count everything: what is not known is "-". A cost that is not known is left out; one that
// may be higher says so.
std::string stats_line(const SessionState& state, const std::optional<Cost>& cost);

}  // namespace skein::model
