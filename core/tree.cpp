#include "core/tree.h"

#include <algorithm>

namespace skein {

std::int32_t Tree::index_of(Id id) const {
  if (table_.empty()) return -1;
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = id.value & mask;; slot = (slot + 1) & mask)
    if (table_[slot] < 0 || ids_[static_cast<std::size_t>(table_[slot])] == id) return table_[slot];
}

// The slot that holds the id, or the empty one where it belongs.
std::int32_t& Tree::slot_of(Id id) {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = id.value & mask;
  while (table_[slot] >= 0 && ids_[static_cast<std::size_t>(table_[slot])] != id)
    slot = (slot + 1) & mask;
  return table_[slot];
}

void Tree::grow_table() {
  table_.assign(std::max<std::size_t>(64, table_.size() * 2), -1);
  for (std::size_t i = 0; i < ids_.size(); ++i) slot_of(ids_[i]) = static_cast<std::int32_t>(i);
}

void Tree::add(const EntryFacts& entry) {
  if ((nodes_.size() + 1) * 2 > table_.size()) grow_table();
  std::int32_t& slot = slot_of(entry.id);
  if (slot >= 0) {
    duplicates_.push_back(entry.id);
    return;
  }
  Node node{.id = entry.id, .at = entry.at, .marginal = is_marginal(entry.type)};
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
  slot = index;
  if (!node.marginal) last_ = index;
  nodes_.push_back(node);
  ids_.push_back(node.id);
}

const Tree::Node* Tree::find(Id id) const { return at(index_of(id)); }

std::vector<const Tree::Node*> Tree::path(Id leaf) const {
  std::vector<const Node*> out;
  // Parents stand before their children, so the walk ends whatever the file said.
  for (const Node* node = find(leaf); node != nullptr; node = at(node->parent)) out.push_back(node);
  std::ranges::reverse(out);
  return out;
}

const Tree::Children& Tree::children_of_all() const {
  if (children_.first.size() == nodes_.size()) return children_;
  children_.first.assign(nodes_.size(), -1);
  children_.next.assign(nodes_.size(), -1);
  // Backward, so that each list comes out in the order its entries were written.
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (nodes_[i].marginal || nodes_[i].parent < 0) continue;
    std::int32_t& first = children_.first[static_cast<std::size_t>(nodes_[i].parent)];
    children_.next[i] = first;
    first = static_cast<std::int32_t>(i);
  }
  return children_;
}

std::vector<const Tree::Node*> Tree::children(Id id) const {
  std::vector<const Node*> out;
  const std::int32_t parent = index_of(id);
  if (parent < 0) return out;
  const Children& all = children_of_all();
  for (std::int32_t child = all.first[static_cast<std::size_t>(parent)]; child >= 0;
       child = all.next[static_cast<std::size_t>(child)])
    out.push_back(at(child));
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
  const Children& all = children_of_all();
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (all.first[i] < 0 && !nodes_[i].marginal) out.push_back(&nodes_[i]);
  return out;
}

std::vector<const Tree::Node*> Tree::branch_points() const {
  std::vector<const Node*> out;
  const Children& all = children_of_all();
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (all.first[i] >= 0 && all.next[static_cast<std::size_t>(all.first[i])] >= 0)
      out.push_back(&nodes_[i]);
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
