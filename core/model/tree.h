// A session's entries as a tree, as turns, and as people read them: drawn, in words. The tree holds
// ids and places, not texts, and does no I/O: the store feeds it in the order the entries were
// written.
#pragma once

#include "core/model/state.h"

namespace skein::model {

class Tree {
 public:
  struct Node {
    Id id{};
    Position at = 0;
    std::int32_t parent = -1;  // index of a node; -1: a root
    bool marginal = false;
    bool operator==(const Node&) const = default;
  };
  // Something about an entry that was not as it should be, and was made the best of.
  struct Oddity {
    enum class Kind { orphan, cycle, duplicate } kind{};
    Id entry{};
    bool operator==(const Oddity&) const = default;
  };

  class Builder;

  std::size_t size() const { return nodes_.size(); }
  const Node* find(Id id) const;
  // From the root to `leaf`, both included; empty if there is no such entry.
  std::vector<const Node*> path(Id leaf) const;
  std::vector<const Node*> children(Id id) const;
  std::vector<const Node*> roots() const;
  std::vector<const Node*> leaves() const;  // in the order they were written
  const std::vector<Node>& nodes() const { return nodes_; }
  // How many entries the path to each has, itself included; in the order of nodes().
  std::vector<std::size_t> depths() const;
  // Orphans, parent cycles and duplicate ids.
  const std::vector<Oddity>& oddities() const { return oddities_; }

 private:
  std::int32_t index_of(Id id) const;
  std::size_t slot_of(Id id) const;
  const Node* at(std::int32_t index) const {
    return index < 0 ? nullptr : &nodes_[static_cast<std::size_t>(index)];
  }

  std::vector<Node> nodes_{};
  std::vector<std::int32_t> table_{};  // open addressing over ids, which are random already
  std::vector<std::int32_t> first_child_{}, next_sibling_{};  // by index of a node; -1: none
  std::vector<Oddity> oddities_{};
};

// Takes the entries of a session in the order they were written.
class Tree::Builder {
 public:
  // An entry whose parent is not there attaches to the one written before it: history is never cut
  // silently. A second entry with the same id is passed over.
  void add(const EntryFacts& entry);
  Tree build() &&;

 private:
  void know_ids();
  void attach(Node& node, std::int32_t parent, Id named);
  void link_children();

  // An entry nearly always follows the one before it. Such entries are only put down; their ids are
  // looked at together, when one is needed or at the end: three times as fast as one by one.
  Tree tree_{};
  std::size_t known_ = 0;  // nodes whose ids are in the table
  // The last node that is not marginal, and the last of those that are known.
  std::int32_t last_ = -1, known_last_ = -1;
  struct Missing {
    Id entry, parent;
  };
  std::vector<Missing> missing_{};
};

// A tree drawn with box characters, or with ASCII where there are none.
struct TreeDrawing {
  // An entry as one line. Not made safe for a terminal here.
  std::function<std::string(const Tree::Node&)> label{};
  bool ascii = false;
  // A chain of single children is nested up to this depth; in deeper trees it stays in one column,
  // so that a long conversation does not walk off the screen.
  std::size_t nested_depth = 32;
};

// The lines below "root": what is drawn before an entry's label, and the entry.
struct TreeLine {
  std::string stem{};
  const Tree::Node* node = nullptr;
};
std::vector<TreeLine> tree_lines(const Tree& tree, const TreeDrawing& drawing);

// Line by line, each with its newline.
void draw(const Tree& tree, const TreeDrawing& drawing,
          const std::function<void(const std::string&)>& print);

// "user", "assistant", "tool", "tool failed", "tool refused"; of what is no message "model",
// "title", "side question".
std::string kind_of(const Entry& entry);
// Whether it has a meaning for a reader; others are skein's bookkeeping. `body` begins with the
// payload.
bool is_for_readers(std::string_view type, std::string_view body);
// Whether it is the result of a call that failed.
bool is_failed_result(const Entry& entry);
// Text, calls, results and errors, a paragraph each, and what was thought if that is wanted; what
// failed says so. Empty if nothing is said. Not yet safe for a terminal.
enum class Thoughts { left_out, shown };
std::string words_of(const Entry& entry, Thoughts thoughts = Thoughts::left_out);

// What each prompt of a conversation led to and cost: answers, tool calls, summaries.
struct TurnCost {
  Id prompt{};
  std::string preview{};                 // of the prompt, 40 characters
  std::map<std::string, Usage> usage{};  // by provider/model
  bool all_counted = true;               // else an answer was stopped before its usage came
  std::int64_t calls = 0;                // of tools
  std::int64_t duration_ms = 0;          // of answers
  bool operator==(const TurnCost&) const = default;
};

// The turns of a path, oldest first; what comes before the first prompt is left out.
std::vector<TurnCost> turns_of(std::span<const Entry> path);

}  // namespace skein::model
