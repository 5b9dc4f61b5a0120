#include "core/model/tree.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace skein::model {

// The slot that holds the id, or the empty one where it belongs.
std::size_t Tree::slot_of(Id id) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = id.value & mask;
  while (table_[slot] >= 0 && at(table_[slot])->id != id) slot = (slot + 1) & mask;
  return slot;
}

std::int32_t Tree::index_of(Id id) const { return table_.empty() ? -1 : table_[slot_of(id)]; }

const Tree::Node* Tree::find(Id id) const { return at(index_of(id)); }

std::vector<const Tree::Node*> Tree::path(Id leaf) const {
  std::vector<const Node*> out;
  // Parents come before their children, so the walk ends whatever the file said.
  for (const Node* node = find(leaf); node != nullptr; node = at(node->parent)) out.push_back(node);
  std::ranges::reverse(out);
  return out;
}

std::vector<std::size_t> Tree::depths() const {
  std::vector<std::size_t> out;
  for (const Node& node : nodes_)
    out.push_back(node.parent < 0 ? 1 : out[static_cast<std::size_t>(node.parent)] + 1);
  return out;
}

std::vector<const Tree::Node*> Tree::children(Id id) const {
  std::vector<const Node*> out;
  const std::int32_t parent = index_of(id);
  if (parent < 0) return out;
  for (std::int32_t child = first_child_[static_cast<std::size_t>(parent)]; child >= 0;
       child = next_sibling_[static_cast<std::size_t>(child)])
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
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (first_child_[i] < 0 && !nodes_[i].marginal) out.push_back(&nodes_[i]);
  return out;
}

void Tree::Builder::attach(Node& node, std::int32_t parent, Id named) {
  // A marginal entry is no parent; what it was written after is.
  while (parent >= 0 && tree_.at(parent)->marginal) parent = tree_.at(parent)->parent;
  if (parent < 0) missing_.push_back({node.id, named});
  node.parent = parent < 0 ? known_last_ : parent;
}

// Puts the ids of the nodes that were only put down into the table. One that is there already is
// taken out again, and what followed it follows the first of that name.
void Tree::Builder::know_ids() {
  std::vector<Node>& nodes = tree_.nodes_;
  std::vector<std::int32_t>& table = tree_.table_;
  if (known_ == nodes.size()) return;
  if (nodes.size() * 2 > table.size()) {
    table.assign(std::bit_ceil(std::max<std::size_t>(64, nodes.size() * 3)), -1);
    for (std::size_t i = 0; i < known_; ++i)
      table[tree_.slot_of(nodes[i].id)] = static_cast<std::int32_t>(i);
  }
  const std::size_t begin = known_;
  std::vector<std::int32_t> now;  // where the nodes from `begin` on are
  now.reserve(nodes.size() - begin);
  for (std::size_t i = begin; i < nodes.size(); ++i) {
    Node node = nodes[i];
    std::int32_t& slot = table[tree_.slot_of(node.id)];
    if (slot >= 0) {
      tree_.oddities_.push_back({Oddity::Kind::duplicate, node.id});
    } else {
      if (node.parent >= static_cast<std::int32_t>(begin)) {
        const std::int32_t parent = now[static_cast<std::size_t>(node.parent) - begin];
        attach(node, parent, tree_.at(parent)->id);
      }
      slot = static_cast<std::int32_t>(known_);
      if (!node.marginal) known_last_ = slot;
      nodes[known_++] = node;
    }
    now.push_back(slot);
  }
  nodes.resize(known_);
  last_ = known_last_;
}

std::int32_t Tree::Builder::index_of(Id id) {
  know_ids();
  return tree_.index_of(id);
}

void Tree::Builder::add(const EntryFacts& entry) {
  Node node{.id = entry.id, .at = entry.at, .marginal = is_marginal(entry.type)};
  if (entry.parent && last_ >= 0 && tree_.at(last_)->id == *entry.parent) {
    node.parent = last_;
  } else if (entry.parent) {
    const std::int32_t parent = index_of(*entry.parent);
    // Looked at here: one that is passed over must not be told as an orphan as well.
    if (index_of(entry.id) >= 0) {
      tree_.oddities_.push_back({Oddity::Kind::duplicate, entry.id});
      return;
    }
    attach(node, parent, *entry.parent);
  }
  if (!node.marginal) last_ = static_cast<std::int32_t>(tree_.nodes_.size());
  tree_.nodes_.push_back(node);
}

void Tree::Builder::link_children() {
  const std::vector<Node>& nodes = tree_.nodes_;
  tree_.first_child_.assign(nodes.size(), -1);
  tree_.next_sibling_.assign(nodes.size(), -1);
  // Backward, so that each list comes out in the order its entries were written.
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].marginal || nodes[i].parent < 0) continue;
    std::int32_t& first = tree_.first_child_[static_cast<std::size_t>(nodes[i].parent)];
    tree_.next_sibling_[i] = first;
    first = static_cast<std::int32_t>(i);
  }
}

Tree Tree::Builder::build() && {
  know_ids();
  link_children();
  for (const Missing& each : missing_) {
    // A parent that comes later in the file, or is the entry itself, closes a circle.
    const bool later = tree_.find(each.parent) != nullptr;
    tree_.oddities_.push_back({later ? Oddity::Kind::cycle : Oddity::Kind::orphan, each.entry});
  }
  return std::move(tree_);
}

}  // namespace skein::model
