#include "core/import/source/format.h"

#include "core/text/checksum.h"

namespace skein::importers {

// The lengths keep ("ab", "c") apart from ("a", "bc").
std::string short_hash(std::initializer_list<std::string_view> parts, std::size_t digits) {
  std::string all;
  for (const std::string_view part : parts)
    all.append(std::to_string(part.size())).append(":").append(part);
  return sha256_hex(all).substr(0, digits);
}

Id session_id(std::string_view format, std::string_view session) {
  return *parse_id(short_hash({format, session}, 16));
}

Id entry_id(std::string_view format, std::string_view session, std::string_view entry) {
  return *parse_id(short_hash({format, session, entry}, 16));
}

bool has_children(const ForeignContent& content) {
  const auto* const payload = std::get_if<model::Payload>(&content);
  return std::holds_alternative<model::Message>(content) ||
         (payload != nullptr &&
          (std::holds_alternative<model::payload::CompactionSummary>(*payload) ||
           std::holds_alternative<model::payload::BranchSummary>(*payload)));
}

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

std::string EntryChain::append(std::string id, std::string time, ForeignContent content,
                               JsonText raw) {
  return give({std::move(id), last_, std::move(time), std::move(content), std::move(raw)});
}

std::string EntryChain::give(ForeignEntry entry) {
  const std::string line = entry.id;
  entry.id = unused(line);
  last_ = has_children(entry.content) ? entry.id : entry.parent;
  given_.insert(entry.id);
  places_[entry.id] = last_;
  if (!line.empty()) places_[line] = last_;
  std::string id = entry.id;
  receiver_.add(std::move(entry));
  return id;
}

}  // namespace skein::importers
