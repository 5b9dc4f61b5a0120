#include "core/model/tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace skein;
using namespace skein::model;

namespace {

struct Given {
  std::uint64_t id;
  std::uint64_t parent;  // 0: none
  std::string_view type = type::message;
};

Tree tree_of(std::initializer_list<Given> entries) {
  Tree::Builder tree;
  Position at = 0;
  for (const Given& each : entries)
    tree.add({Id{each.id},
              each.parent ? std::optional(Id{each.parent}) : std::nullopt,
              each.type,
              {},
              "{}",
              at++});
  return std::move(tree).build();
}

std::vector<std::uint64_t> numbers(const std::vector<const Tree::Node*>& nodes) {
  std::vector<std::uint64_t> out;
  for (const Tree::Node* node : nodes) out.push_back(node->id.value);
  return out;
}

using Numbers = std::vector<std::uint64_t>;

std::string drawn(const Tree& tree, bool ascii = false, std::size_t nested = 32) {
  std::string out;
  draw(tree, {[](const Tree::Node& node) { return std::to_string(node.id.value); }, ascii, nested},
       [&](const std::string& line) { out += line; });
  return out;
}

}  // namespace

TEST_CASE("a path leads from the root to the leaf of its own branch") {
  const Tree tree = tree_of({{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 4}});

  CHECK(numbers(tree.path(Id{3})) == Numbers{1, 2, 3});
  CHECK(numbers(tree.path(Id{5})) == Numbers{1, 2, 4, 5});
  CHECK(numbers(tree.path(Id{9})) == Numbers{});
  CHECK(numbers(tree.leaves()) == Numbers{3, 5});
  CHECK(numbers(tree.children(Id{2})) == Numbers{3, 4});
  CHECK(numbers(tree.roots()) == Numbers{1});
}

TEST_CASE("a tree is drawn below its root with boxes or in ASCII") {
  const Tree tree = tree_of({{1, 0}, {2, 1}, {3, 2}, {4, 3}, {5, 2}, {6, 5}});

  CHECK(drawn(tree) ==
        "root\n"
        "└── 1\n"
        "    └── 2\n"
        "        ├── 3\n"
        "        │   └── 4\n"
        "        └── 5\n"
        "            └── 6\n");
  CHECK(drawn(tree, true) ==
        "root\n"
        "`-- 1\n"
        "    `-- 2\n"
        "        |-- 3\n"
        "        |   `-- 4\n"
        "        `-- 5\n"
        "            `-- 6\n");
}

TEST_CASE("a long conversation is drawn in one column and only branches are indented") {
  CHECK(drawn(tree_of({{1, 0}, {2, 1}, {3, 2}, {4, 2}}), false, 2) ==
        "root\n"
        "└── 1\n"
        "    2\n"
        "    ├── 3\n"
        "    └── 4\n");
}

TEST_CASE("several roots are drawn beside each other and an empty tree is a root alone") {
  CHECK(drawn(tree_of({{1, 0}, {2, 0}})) == "root\n├── 1\n└── 2\n");
  CHECK(drawn(Tree{}) == "root\n");
}

TEST_CASE("a parent circle ends and is told") {
  using Kind = Tree::Oddity::Kind;
  const Tree circle = tree_of({{1, 2}, {2, 1}});
  CHECK(numbers(circle.path(Id{2})) == Numbers{1, 2});
  CHECK(circle.oddities() == std::vector<Tree::Oddity>{{Kind::cycle, Id{1}}});

  const Tree self = tree_of({{1, 0}, {2, 2}, {3, 2}});
  CHECK(numbers(self.path(Id{3})) == Numbers{1, 2, 3});
  CHECK(self.oddities() == std::vector<Tree::Oddity>{{Kind::cycle, Id{2}}});
}

TEST_CASE("an entry whose parent is missing follows the one written before it, and that is told") {
  const Tree tree = tree_of({{1, 0}, {2, 1}, {4, 3}, {5, 4}});

  CHECK(numbers(tree.path(Id{5})) == Numbers{1, 2, 4, 5});
  CHECK(tree.oddities() == std::vector<Tree::Oddity>{{Tree::Oddity::Kind::orphan, Id{4}}});
}

TEST_CASE("a second entry with the same id is passed over and told") {
  const Tree tree = tree_of({{1, 0}, {2, 1}, {1, 2}});

  CHECK(tree.size() == 2);
  CHECK(tree.oddities() == std::vector<Tree::Oddity>{{Tree::Oddity::Kind::duplicate, Id{1}}});
}

TEST_CASE("marginal entries are neither leaves nor parents") {
  const Tree tree = tree_of({{1, 0}, {2, 1, type::custom}, {3, 2}, {4, 3, type::redaction}});

  CHECK(numbers(tree.leaves()) == Numbers{3});
  CHECK(numbers(tree.path(Id{3})) == Numbers{1, 3});
  CHECK(numbers(tree.children(Id{1})) == Numbers{3});
  CHECK(tree.oddities().empty());
}

// The same, one entry at a time and without a table.
struct Plain {
  std::vector<Tree::Node> nodes{};
  std::vector<Id> duplicates{};
  std::vector<std::pair<Id, Id>> missing{};
  std::int32_t last = -1;

  std::int32_t find(Id id) const {
    const auto found = std::ranges::find(nodes, id, &Tree::Node::id);
    return found == nodes.end() ? -1 : static_cast<std::int32_t>(found - nodes.begin());
  }
  void add(const EntryFacts& entry) {
    if (find(entry.id) >= 0) return duplicates.push_back(entry.id);
    Tree::Node node{.id = entry.id, .at = entry.at, .marginal = is_marginal(entry.type)};
    if (entry.parent) {
      node.parent = find(*entry.parent);
      while (node.parent >= 0 && nodes[static_cast<std::size_t>(node.parent)].marginal)
        node.parent = nodes[static_cast<std::size_t>(node.parent)].parent;
      if (node.parent < 0) {
        missing.emplace_back(entry.id, *entry.parent);
        node.parent = last;
      }
    }
    if (!node.marginal) last = static_cast<std::int32_t>(nodes.size());
    nodes.push_back(node);
  }
  std::vector<Tree::Oddity> oddities() const {
    using Kind = Tree::Oddity::Kind;
    std::vector<Tree::Oddity> out;
    for (const Id id : duplicates) out.push_back({Kind::duplicate, id});
    for (const auto& [entry, parent] : missing)
      out.push_back({find(parent) >= 0 ? Kind::cycle : Kind::orphan, entry});
    return out;
  }
};

TEST_CASE("entries looked at together make the tree that one at a time would") {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 2'000; ++round) {
    Tree::Builder builder;
    Plain plain;
    std::uint64_t last = 0;
    for (std::uint64_t at = 0; at < 24; ++at) {
      // Few ids, so that some come twice; some parents are missing, later or the entry itself.
      const Given entry{1 + below(30), below(4) > 0 ? last : below(32),
                        below(5) > 0 ? type::message : type::custom};
      last = entry.id;
      const EntryFacts facts{
          Id{entry.id}, entry.parent ? std::optional(Id{entry.parent}) : std::nullopt,
          entry.type,   {},
          "{}",         at};
      builder.add(facts);
      plain.add(facts);
    }
    const Tree tree = std::move(builder).build();
    CHECK(tree.nodes() == plain.nodes);
    CHECK(tree.oddities() == plain.oddities());
    for (const Tree::Node& node : tree.nodes()) CHECK(tree.find(node.id) == &node);
  }
}

TEST_CASE("a hundred thousand entries in one chain are walked and drawn in time") {
  Tree::Builder builder;
  const std::uint64_t count = 100'000;
  for (std::uint64_t id = 1; id <= count; ++id)
    builder.add({Id{id * 0x9e3779b97f4a7c15u},
                 id > 1 ? std::optional(Id{(id - 1) * 0x9e3779b97f4a7c15u}) : std::nullopt,
                 type::message,
                 {},
                 "{}",
                 id});

  const Tree tree = std::move(builder).build();
  CHECK(tree.path(Id{count * 0x9e3779b97f4a7c15u}).size() == count);
  CHECK(tree.leaves().size() == 1);
  const std::string picture = drawn(tree);
  CHECK(std::ranges::count(picture, '\n') == static_cast<std::ptrdiff_t>(count + 1));
}
