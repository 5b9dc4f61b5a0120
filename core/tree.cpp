#include "core/tree.h"

#include <algorithm>

namespace skein {

std::int32_t Tree::index_of(Id id) const {
  if (table_.empty()) return -1;
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = id.value & mask;; slot = (slot + 1) & mask)
    if (table_[slot] < 0 || ids_[static_cast<std::size_t>(table_[slot])] == id) return table_[slot];
}

void Tree::put(Id id, std::int32_t index) {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = id.value & mask;
  while (table_[slot] >= 0) slot = (slot + 1) & mask;
  table_[slot] = index;
}

void Tree::grow_table() {
  table_.assign(std::max<std::size_t>(64, table_.size() * 2), -1);
  for (std::size_t i = 0; i < ids_.size(); ++i) put(ids_[i], static_cast<std::int32_t>(i));
}

void Tree::add(const EntryFacts& entry) {
  if (index_of(entry.id) >= 0) {
    duplicates_.push_back(entry.id);
    return;
  }
  Node node{.id = entry.id, .marginal = is_marginal(entry.type), .at = entry.at};
  if (entry.parent) {
    // Nearly always the entry before.
    const bool before = last_ >= 0 && at(last_)->id == *entry.parent;
    node.parent = before ? last_ : index_of(*entry.parent);
    // A marginal entry is no parent; what it was written after is.
    while (node.parent >= 0 && at(node.parent)->marginal) node.parent = at(node.parent)->parent;
    if (node.parent < 0) {
      missing_.push_back({entry.id, *entry.parent});
      node.parent = last_;
    }
  }
  const auto index = static_cast<std::int32_t>(nodes_.size());
  if (!node.marginal) {
    if (node.parent >= 0) {
      Node& parent = nodes_[static_cast<std::size_t>(node.parent)];
      if (parent.last_child >= 0)
        nodes_[static_cast<std::size_t>(parent.last_child)].next_sibling = index;
      else
        parent.first_child = index;
      parent.last_child = index;
    }
    last_ = index;
  }
  nodes_.push_back(node);
  ids_.push_back(node.id);
  if (nodes_.size() * 2 > table_.size()) return grow_table();
  put(entry.id, index);
}

const Tree::Node* Tree::find(Id id) const { return at(index_of(id)); }

std::vector<const Tree::Node*> Tree::path(Id leaf) const {
  std::vector<const Node*> out;
  // Parents stand before their children, so the walk ends whatever the file said.
  for (const Node* node = find(leaf); node != nullptr; node = at(node->parent)) out.push_back(node);
  std::ranges::reverse(out);
  return out;
}

std::vector<const Tree::Node*> Tree::children(Id id) const {
  std::vector<const Node*> out;
  if (const Node* node = find(id))
    for (node = at(node->first_child); node != nullptr; node = at(node->next_sibling))
      out.push_back(node);
  return out;
}

std::vector<const Tree::Node*> Tree::roots() const {
  std::vector<const Node*> out;
  for (const Node& node : nodes_)
    if (node.parent < 0 && !node.marginal) out.push_back(&node);
  return out;
}

std::vector<const Tree::Node*> Tree::leaves() const {
  std::vector<const Node*> out;
  for (const Node& node : nodes_)
    if (node.first_child < 0 && !node.marginal) out.push_back(&node);
  return out;
}

std::vector<const Tree::Node*> Tree::branch_points() const {
  std::vector<const Node*> out;
  for (const Node& node : nodes_)
    if (node.first_child != node.last_child) out.push_back(&node);
  return out;
}

std::vector<Tree::Oddity> Tree::oddities() const {
  std::vector<Oddity> out;
  for (const Id id : duplicates_) out.push_back({Oddity::Kind::duplicate, id});
  for (const Missing& each : missing_) {
    // A parent that stands later in the file, or is the entry itself, closes a circle.
    const bool later = find(each.parent) != nullptr;
    out.push_back({later ? Oddity::Kind::cycle : Oddity::Kind::orphan, each.entry});
  }
  return out;
}

}  // namespace skein
