#include "core/exchange/importers/entry_chain.h"

#include <utility>
#include <variant>

namespace skein::exchange::importers {

std::string EntryChain::unused(const std::string& id) {
  if (!id.empty() && !given_.contains(id)) return id;
  std::size_t& n = repeats_.try_emplace(id, id.empty() ? 0 : 1).first->second;
  std::string next;
  do next = id + "+" + std::to_string(++n);
  while (given_.contains(next));
  return next;
}

std::string EntryChain::place_of(const std::string& id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? last_ : found->second;
}

void EntryChain::pass(const std::string& id, const std::string& parent) {
  if (!id.empty()) places_.try_emplace(id, parent.empty() ? std::string{} : place_of(parent));
}

std::string EntryChain::add(ForeignEntry entry) {
  if (!entry.parent.empty()) entry.parent = place_of(entry.parent);
  return give(std::move(entry));
}

std::string EntryChain::append(ForeignEntry entry) {
  entry.parent = last_;
  return give(std::move(entry));
}

std::string EntryChain::give(ForeignEntry entry) {
  const std::string line = entry.id;
  entry.id = unused(line);
  const bool said = !std::holds_alternative<ForeignContext>(entry.content);
  last_ = said ? entry.id : entry.parent;
  given_.insert(entry.id);
  places_[entry.id] = last_;
  if (!line.empty()) places_[line] = last_;
  std::string id = entry.id;
  receiver_.add(std::move(entry));
  return id;
}

}  // namespace skein::exchange::importers
