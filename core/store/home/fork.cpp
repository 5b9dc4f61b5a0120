#include "core/store/home/fork.h"

#include <set>
#include <utility>

#include "core/model/tree.h"

namespace skein::store::home {

namespace {

bool is_beside(std::string_view type) {
  return type == type::session_header || model::is_marginal(type);
}

Result<std::vector<Position>> positions_of_path(log::LogReader& source, Id leaf) {
  model::Tree::Builder builder;
  const auto done = source.each_line([&](const log::ScannedLine& found) {
    const EntryFacts entry = found.facts();
    if (entry.type != type::session_header) builder.add(entry);
    return entry.id != leaf;
  });
  if (!done) return done.error();
  const model::Tree tree = std::move(builder).build();
  std::vector<Position> out;
  for (const model::Tree::Node* node : tree.path(leaf)) out.push_back(node->at);
  return out;
}

}  // namespace

Result<void> copy_path(log::LogReader& source, Id leaf, log::NewTranscript& target,
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
    if (const auto done = source.each_line([&](const log::ScannedLine& found) {
          const EntryFacts facts = found.facts();
          if (is_beside(facts.type)) return true;
          chained = facts.parent == last;
          if (chained) copy(found, facts.id);
          return chained && last != leaf;
        });
        !done)
      return done.error();
  if (chained && last == leaf) return {};

  const Result<std::vector<Position>> found_at = positions_of_path(source, leaf);
  if (!found_at) return found_at.error();
  const std::vector<Position>& wanted = *found_at;
  if (wanted.empty())
    return Failure{Failure::Kind::gone, "no entry '" + to_string(leaf) + "' in this session"};
  target.start_over();
  last.reset();
  std::size_t next = 0;
  return source.each_line([&](const log::ScannedLine& found) {
    if (found.begin != wanted[next]) return true;
    const EntryFacts facts = found.facts();
    if (facts.parent == last) {
      copy(found, facts.id);
    } else {
      // Its parent was lost, and it followed the entry before it: from now on by name.
      Entry entry = found.to_entry();
      entry.parent = last;
      target.add(entry);
      copied(*(last = entry.id));
    }
    return ++next < wanted.size();
  });
}

Result<void> copy_fork(log::LogReader& source, Id leaf, std::span<const ForkExtra> extras,
                       log::NewTranscript& target) {
  std::set<Id> wanted, there;
  for (const ForkExtra& extra : extras)
    if (extra.about) wanted.insert(*extra.about);
  const auto copied = copy_path(source, leaf, target, [&](Id id) {
    if (!wanted.empty() && wanted.contains(id)) there.insert(id);
  });
  if (!copied) return copied;
  for (const ForkExtra& extra : extras)
    if (!extra.about || there.contains(*extra.about)) target.add(extra.entry);
  return {};
}

}  // namespace skein::store::home
