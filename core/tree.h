// A session's entries as a tree. Holds ids and places, not texts, and does no I/O: the store feeds
// it in the order the entries were written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/state.h"

namespace skein {

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

  // An entry whose parent is not there attaches to the one written before it: history is never cut
  // silently. A second entry with the same id is passed over.
  void add(const EntryFacts& entry);

  std::size_t size() const { return nodes().size(); }
  const Node* find(Id id) const;
  // From the root to `leaf`, both included; empty if there is no such entry.
  std::vector<const Node*> path(Id leaf) const;
  std::vector<const Node*> children(Id id) const;
  std::vector<const Node*> roots() const;
  std::vector<const Node*> leaves() const;         // in the order they were written
  std::vector<const Node*> branch_points() const;  // entries with more than one child
  const std::vector<Node>& nodes() const;
  // How many entries the path to each has, itself included; in the order of nodes().
  std::vector<std::size_t> depths() const;
  // Orphans, parent cycles and duplicate ids, once everything has been added.
  std::vector<Oddity> oddities() const;

 private:
  std::int32_t index_of(Id id) const;
  std::int32_t& slot_of(Id id) const;
  void know_ids() const;
  void attach(Node& node, std::int32_t parent, Id named) const;
  const Node* at(std::int32_t index) const {
    return index < 0 ? nullptr : &nodes_[static_cast<std::size_t>(index)];
  }

  // An entry nearly always follows the one before it. Such entries are only put down; their ids are
  // looked at together, once somebody asks for one: three times as fast as one by one.
  mutable std::vector<Node> nodes_{};
  mutable std::size_t known_ = 0;              // nodes whose ids are in the table
  mutable std::vector<std::int32_t> table_{};  // open addressing over ids, which are random already
  // The last node that is not marginal, and the last of those that are known.
  mutable std::int32_t last_ = -1, known_last_ = -1;
  mutable std::vector<Id> duplicates_{};
  struct Missing {
    Id entry, parent;
  };
  mutable std::vector<Missing> missing_{};

  // Who the children are is worked out when somebody first asks; most trees are only walked up.
  struct Children {
    std::vector<std::int32_t> first{}, next{};  // by index of a node; -1: none
  };
  const Children& children_of_all() const;
  mutable Children children_{};
};

}  // namespace skein
