#include "core/tree.h"

#include <algorithm>
#include <bit>

namespace skein {

// The slot that holds the id, or the empty one where it belongs.
std::int32_t& Tree::slot_of(Id id) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = id.value & mask;
  while (table_[slot] >= 0 && at(table_[slot])->id != id) slot = (slot + 1) & mask;
  return table_[slot];
}

void Tree::attach(Node& node, std::int32_t parent, Id named) const {
  // A marginal entry is no parent; what it was written after is.
  while (parent >= 0 && at(parent)->marginal) parent = at(parent)->parent;
  if (parent < 0) missing_.push_back({node.id, named});
  node.parent = parent < 0 ? known_last_ : parent;
}

// Puts the ids of the nodes that were only put down into the table. One that is there already is
// taken out again, and what followed it follows the first of that name.
void Tree::know_ids() const {
  if (known_ == nodes_.size()) return;
  if (nodes_.size() * 2 > table_.size()) {
    table_.assign(std::bit_ceil(std::max<std::size_t>(64, nodes_.size() * 3)), -1);
    for (std::size_t i = 0; i < known_; ++i) slot_of(nodes_[i].id) = static_cast<std::int32_t>(i);
  }
  const std::size_t begin = known_;
  std::vector<std::int32_t> now;  // where the nodes from `begin` on are
  now.reserve(nodes_.size() - begin);
  for (std::size_t i = begin; i < nodes_.size(); ++i) {
    Node node = nodes_[i];
    std::int32_t& slot = slot_of(node.id);
    if (slot >= 0) {
      duplicates_.push_back(node.id);
    } else {
      if (node.parent >= static_cast<std::int32_t>(begin)) {
        const std::int32_t parent = now[static_cast<std::size_t>(node.parent) - begin];
        attach(node, parent, at(parent)->id);
      }
      slot = static_cast<std::int32_t>(known_);
      if (!node.marginal) known_last_ = slot;
      nodes_[known_++] = node;
    }
    now.push_back(slot);
  }
  nodes_.resize(known_);
  last_ = known_last_;
}

std::int32_t Tree::index_of(Id id) const {
  know_ids();
  return table_.empty() ? -1 : slot_of(id);
}

void Tree::add(const EntryFacts& entry) {
  Node node{.id = entry.id, .at = entry.at, .marginal = is_marginal(entry.type)};
  if (entry.parent && last_ >= 0 && at(last_)->id == *entry.parent) {
    node.parent = last_;
  } else if (entry.parent) {
    const std::int32_t parent = index_of(*entry.parent);
    // Looked at here: one that is passed over must not be told as an orphan as well.
    if (index_of(entry.id) >= 0) return duplicates_.push_back(entry.id);
    attach(node, parent, *entry.parent);
  }
  if (!node.marginal) last_ = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back(node);
}

const std::vector<Tree::Node>& Tree::nodes() const {
  know_ids();
  return nodes_;
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
  if (children_.first.size() == nodes().size()) return children_;
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

std::vector<std::size_t> Tree::depths() const {
  std::vector<std::size_t> out;
  for (const Node& node : nodes())
    out.push_back(node.parent < 0 ? 1 : out[static_cast<std::size_t>(node.parent)] + 1);
  return out;
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
  for (const Node& node : nodes())
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
  know_ids();
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
