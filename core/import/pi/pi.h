// pi's sessions, a tree of lines in one file, of any version so far: what each kind of line
// becomes, and which other it follows. OpenClaw keeps the same lines in other containers, several
// sessions of pi ("windows") making one session there.
#pragma once

#include <deque>
#include <unordered_map>

#include "core/import/source/foreign_json.h"

namespace skein::importers {

// The first line of a session.
struct PiHeader {
  ForeignSession session{};                     // without a title
  std::string provider{}, model{}, thinking{};  // only version 1 has them here
};
// nullopt: the line is something else.
std::optional<PiHeader> pi_header(std::string_view line);

bool has_pi_lines(const SourceFile& file);
// What a file says of its session: the first line, and the last name it was given.
ForeignSession pi_session_in(const SourceFile& file);
void read_pi_lines(const SourceFile& file, const ReadOptions& options, std::string_view format,
                   const ForeignSession& session, Receiver& receiver);

class PiLines {
 public:
  // `session` is the id it was begun with. Both must outlive this.
  PiLines(std::string_view format, std::string_view session, Receiver& receiver);

  // From here on come the lines of the window with that id. Ids may come again there: an entry with
  // the same content is the one that was; others get the window's name in their id. What has
  // no parent follows the last entry of `before`, a window that was; empty: nothing.
  void begin_window(const std::string& window, const std::string& before);
  void begin(const PiHeader& header);  // what version 1 says there
  // A line, or several that were glued together. False: nothing of it can be read.
  bool add(std::string_view line);
  // The head of the session at the end of that window, or of the last one if there is none of that
  // name; empty: there is no entry yet.
  std::string leaf_of(const std::string& window) const;

 private:
  struct Node {
    std::string id{};              // as it was added
    const Node* parent = nullptr;  // the entry it names, whatever that is
    const Node* anchor = nullptr;  // what its children follow: the nearest message or summary
    bool given = false;            // it is such a one itself
    std::size_t window = 0;
    std::size_t content = 0;  // a hash of it, to tell a copy from another entry
    std::size_t number = 0;   // parents have smaller ones
  };
  struct Line;  // one entry, parsed

  void add_entry(Line line);
  void add_content(const Line& line);
  Node* new_node(Node node);
  void continue_from(Node* node);
  void add_compaction(const Line& line);
  void add_branch_summary(const Line& line);
  void add_edit(const Line& line);
  void add_label(const Line& line);
  void add_usage(const Line& line, const std::string& id);

  // Gives an entry; a message or a summary becomes what later ones follow.
  void give(const Line& line, const std::string& id, ForeignContent content, bool raw = false);
  static std::string anchor_id(const Node* node);
  Node* find(const std::string& id) const;
  const Node* parent_of(const Line& line) const;
  const Node* target_of(const Line& line) const;  // none: it is not there, or gave nothing
  Id our_id(const Node& node) const { return entry_id(format_, session_, node.id); }
  std::optional<Id> first_kept(const std::string& named) const;

  std::string_view format_, session_;
  Receiver& receiver_;
  std::deque<Node> nodes_{};
  std::unordered_map<std::string, Node*> places_{};
  Node* last_ = nullptr;                 // the entry at hand, or the one before
  const Node* before_window_ = nullptr;  // what roots of this window follow
  const Node* previous_ = nullptr;       // the entry before in this window
  std::string window_{};
  std::unordered_map<std::string, const Node*> ends_{};  // of windows: their last entries
  std::size_t windows_ = 0;
  std::size_t lines_ = 0;  // of this window, counted as version 1 does
  std::string provider_{}, model_{};
  mutable std::uint64_t steps_left_ = 50'000'000;  // along paths, to find what compactions keep
};

}  // namespace skein::importers
