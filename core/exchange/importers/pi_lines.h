// The lines of a pi session as entries: what each kind becomes, and which other it follows.
// OpenClaw keeps the same lines in other containers, several sessions of pi ("windows") making one
// of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/exchange/importers/receiver.h"

namespace skein::exchange::importers {

struct PiMessage;

// The first line of a session.
struct PiHeader {
  std::string id{}, cwd{}, time{};
  std::string parent{};                         // id of the session it was forked from
  std::string provider{}, model{}, thinking{};  // only version 1 has them here
};
// nullopt: the line is something else.
std::optional<PiHeader> pi_header(std::string_view line);
// The id in the name of a session's file: `<time>_<id>.jsonl`, or `<id>.jsonl`.
std::string pi_id_in_name(std::string_view path);

class PiLines {
 public:
  // `session` is the id it was begun with. Both must outlive this.
  PiLines(std::string_view format, std::string_view session, Receiver& receiver);

  // From here on come the lines of the window with that id. Ids may come again there: an entry with
  // the same content is the one that was; other ones are told apart by the window's name. What has
  // no parent follows the last entry of `before`, a window that was; empty: nothing.
  void begin_window(const std::string& window, const std::string& before);
  void begin(const PiHeader& header);  // what version 1 says there
  // A line, or several that were glued together. False: nothing of it can be read.
  bool add(std::string_view line);
  // Where the session stands, or stood at the end of that window; empty: nowhere yet.
  std::string leaf() const { return leaf_at(last_); }
  std::string leaf_of(const std::string& window) const;

 private:
  struct Node {
    std::string id{};          // as it was added
    std::int32_t parent = -1;  // the entry it names, whatever that is
    std::int32_t anchor = -1;  // what its children follow: the nearest of messages and summaries
    bool given = false;        // it is such a one itself
    std::uint32_t window = 0;
    std::uint64_t content = 0;  // a hash of it, to tell a copy from another entry
  };
  struct Line;  // one entry, parsed

  void add_entry(const Line& line);
  void add_content(const Line& line);
  void stand_at(std::int32_t node);
  void add_message(const Line& line, PiMessage made);
  void add_compaction(const Line& line);
  void add_branch_summary(const Line& line);
  void add_edit(const Line& line);
  void add_label(const Line& line);
  void add_usage(const Line& line, const std::string& id);

  // Gives an entry; a message or a summary becomes what later ones follow.
  template <class Content>
  void give(const Line& line, const std::string& id, Content content, bool raw);
  std::string leaf_at(std::int32_t node) const;
  std::int32_t find(const std::string& id) const;
  std::int32_t parent_of(const Line& line) const;
  const Node* given_node(const std::string& id) const;  // none: it is not there, or gave nothing
  Id our_id(const Node& node) const { return entry_id(format_, session_, node.id); }
  std::optional<Id> first_kept(const std::string& named) const;

  std::string_view format_, session_;
  Receiver& receiver_;
  std::vector<Node> nodes_{};
  std::unordered_map<std::string, std::int32_t> places_{};
  std::int32_t last_ = -1;           // the entry at hand, or the one before
  std::int32_t before_window_ = -1;  // what roots of this window follow
  std::int32_t previous_ = -1;       // the entry before in this window
  std::string window_{};
  std::unordered_map<std::string, std::int32_t> ends_{};  // of windows: their last entries
  std::uint32_t windows_ = 0;
  std::size_t lines_ = 0;  // of this window, counted as version 1 does
  std::string provider_{}, model_{};
  mutable std::uint64_t steps_left_ = 50'000'000;  // along paths, to find what compactions keep
};

}  // namespace skein::exchange::importers
