// What readers of other programs' sessions find, in no program's dialect, where they put it, and
// what the table of formats knows of a reader. Ids are the other program's own: with the session's
// they make ours, so that reading a file again, grown or rewritten, gives the same entries the same
// ids.
#pragma once

#include "core/import/source/source_file.h"
#include "core/model/message.h"
#include "core/model/payloads.h"

namespace skein::importers {

struct ForeignSession {
  std::string id{};          // must not change as the file grows
  std::string cwd{};         // the folder it was about
  std::string title{};       // one that was given or made there; else the first prompt is it
  std::string created_at{};  // as transcripts write times; empty: that of its first entry
  std::string updated_at{};  // when something was last said, if that is known without reading it
  std::string parent{};      // id of the session it was spawned by or forked from; empty: none
  bool spawned = false;      // by a tool call of `parent`: a sub-agent
};

// What the model was shown although the user did not type it: environment, instructions, reminders,
// attachments. It is kept, and never sent again.
struct ForeignContext {
  std::string label{};  // what it is: "environment", "instructions", "reminder"
  std::string text{};
};

using ForeignContent = std::variant<model::Message, model::Payload, ForeignContext>;

struct ForeignEntry {
  std::string id{};      // unique in its session; several made of one line: "<id>/results"
  std::string parent{};  // an entry that came before; empty: a root; unknown: the one before it
  std::string time{};    // as transcripts write it; empty: that of the entry before
  // Of a Payload the ids are those of entry_id().
  ForeignContent content{};
  JsonText raw{};  // the line it came from, if something in it has no place in `content`
};

class Receiver {
 public:
  virtual ~Receiver() = default;

  // False: this session is not wanted, and nothing of it is to be given.
  virtual bool begin(const ForeignSession& session) = 0;
  // Parents come before their children.
  virtual void add(ForeignEntry entry) = 0;
  // Keeps bytes too large for a line, or an image's; the name to put into `blob`. Empty: they could
  // not be kept, which is reported already.
  virtual std::string keep(std::string_view bytes) = 0;
  // Something that is not taken over, in a few words that several may share: "file snapshots".
  virtual void lose(std::string_view what) = 0;
  // `leaf`: where the session stood; empty: at the entry added last.
  virtual void end(std::string_view leaf) = 0;
};

// The first `digits` hex digits of the hash of these.
std::string short_hash(std::initializer_list<std::string_view> parts, std::size_t digits = 12);
// The id an entry of theirs has in our session.
Id entry_id(std::string_view format, std::string_view session, std::string_view entry);
// The id of our session.
Id session_id(std::string_view format, std::string_view session);

// The pointer that a map has for a key; null: it has none.
template <class Map, class Key>
typename Map::mapped_type found_in(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second;
}

// Whether it was said or sums up what was: only below such an entry others come.
bool has_children(const ForeignContent& content);

// Keeps a reader's promises to a receiver: no id twice in a session, no parent that was not given
// before, whatever the file says.
class EntryChain {
 public:
  explicit EntryChain(Receiver& receiver) : receiver_(receiver) {}

  // Adds it below its parent, or below the entry before if the parent is unknown, and returns the
  // id it got. Children of what has none, a ForeignContext for one, become its parent's.
  std::string add(ForeignEntry entry);
  // Adds it below the entry before.
  std::string append(std::string id, std::string time, ForeignContent content, JsonText raw = {});
  // A line that became no entry: its children are its parent's.
  void pass(const std::string& id, const std::string& parent);
  // What is appended next comes below that entry.
  void go_back_to(std::string entry) { last_ = std::move(entry); }

  // The entry that children of a line come below; empty: none, they are roots.
  std::string place_of(const std::string& id) const;
  const std::string& last() const { return last_; }
  bool has(const std::string& entry) const { return given_.contains(entry); }

 private:
  std::string give(ForeignEntry entry);
  std::string unused(const std::string& id);

  Receiver& receiver_;
  std::unordered_map<std::string, std::string> places_{};  // of every line
  std::unordered_set<std::string> given_{};
  std::unordered_map<std::string, std::size_t> repeats_{};
  std::string last_{};
};

struct ReadOptions {
  // The program may still be writing: what seems unfinished at the end is left for the next time.
  // Otherwise it is given as it is, under an id that the finished one will not have.
  bool growing = false;
};

}  // namespace skein::importers
