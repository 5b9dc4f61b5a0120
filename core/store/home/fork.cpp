#include "core/store/home/fork.h"

#include <utility>

namespace skein::store::home {

namespace {

bool is_beside(std::string_view type) {
  return type == model::type::session_header || model::is_marginal(type);
}

std::optional<Failure> positions_of_path(log::Log& source, Id leaf,
                                         std::vector<model::Position>& out) {
  model::Tree::Builder builder;
  auto failed = source.each_line([&](const log::ScannedLine& found) {
    const model::EntryFacts entry = found.facts();
    if (entry.type != model::type::session_header) builder.add(entry);
    return entry.id != leaf;
  });
  const model::Tree tree = std::move(builder).build();
  for (const model::Tree::Node* node : tree.path(leaf)) out.push_back(node->at);
  return failed;
}

}  // namespace

std::optional<Failure> copy_path(log::Log& source, Id leaf, log::NewTranscript& target,
                                 const std::function<void(Id)>& copied) {
  std::optional<Id> last;
  bool chained = source.state().leaves.size() == 1;
  const auto copy = [&](const log::ScannedLine& found, Id id) {
    target.add(found);
    copied(*(last = id));
  };
  // Most sessions never branched: then every entry up to the leaf follows the one before it, and
  // one pass will do.
  if (chained)
    if (auto failed = source.each_line([&](const log::ScannedLine& found) {
          const model::EntryFacts facts = found.facts();
          if (is_beside(facts.type)) return true;
          chained = facts.parent == last;
          if (chained) copy(found, facts.id);
          return chained && last != leaf;
        }))
      return failed;
  if (chained && last == leaf) return std::nullopt;

  std::vector<model::Position> wanted;
  if (auto failed = positions_of_path(source, leaf, wanted)) return failed;
  if (wanted.empty())
    return Failure{Failure::Kind::gone, "no entry '" + to_string(leaf) + "' in this session"};
  target.start_over();
  last.reset();
  std::size_t next = 0;
  return source.each_line([&](const log::ScannedLine& found) {
    if (found.begin != wanted[next]) return true;
    const model::EntryFacts facts = found.facts();
    if (facts.parent == last) {
      copy(found, facts.id);
    } else {
      // Its parent was lost, and it followed the entry before it: from now on by name.
      model::Entry entry = found.to_entry();
      entry.parent = last;
      target.add(entry);
      copied(*(last = entry.id));
    }
    return ++next < wanted.size();
  });
}

}  // namespace skein::store::home
