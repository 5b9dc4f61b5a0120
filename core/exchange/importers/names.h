// Ids as small numbers, so that an index of millions of lines stays small. 0 is no name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skein::exchange::importers {

class Names {
 public:
  std::uint32_t number(std::string_view name) {
    if (name.empty()) return 0;
    const auto [place, added] =
        numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(texts_.size()));
    if (added) texts_.push_back(&place->first);  // a map's keys stay where they are
    return place->second;
  }
  const std::string& text(std::uint32_t number) const { return *texts_[number]; }
  std::uint32_t known(std::string_view name) const {  // 0: it is not
    const auto found = numbers_.find(std::string(name));
    return found == numbers_.end() ? 0 : found->second;
  }
  std::size_t count() const { return texts_.size(); }

  Names() = default;
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

 private:
  std::string none_{};
  std::unordered_map<std::string, std::uint32_t> numbers_{};
  std::vector<const std::string*> texts_{&none_};
};

}  // namespace skein::exchange::importers
