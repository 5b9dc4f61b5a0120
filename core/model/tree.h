// A session's entries as a tree. Holds ids and places, not texts, and does no I/O: the store feeds
// it in the order the entries were written.
#pragma once

#include <cstdint>
#include <vector>

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
  std::int32_t index_of(Id id);
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

}  // namespace skein::model
