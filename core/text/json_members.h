// The members of a JSON object: in the order they were written, and found by a hash once there are
// many. The library's own ordered map looks through all of them for each, so that a document with a
// million members would take hours.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

namespace skein {

template <class Key, class Value, class Less = std::less<Key>,
          class Allocator = std::allocator<std::pair<const Key, Value>>>
class JsonMembers : public nlohmann::ordered_map<Key, Value, Less, Allocator> {
  using Base = nlohmann::ordered_map<Key, Value, Less, Allocator>;

 public:
  using Base::Base;
  using typename Base::const_iterator;
  using typename Base::iterator;
  using typename Base::size_type;

  JsonMembers() = default;
  JsonMembers(const JsonMembers& other) : Base(other) {}
  JsonMembers(JsonMembers&&) noexcept = default;
  JsonMembers& operator=(const JsonMembers& other) {
    Base::operator=(other);
    index_.reset();
    return *this;
  }
  JsonMembers& operator=(JsonMembers&&) noexcept = default;
  ~JsonMembers() = default;

  template <class Name>
  std::pair<iterator, bool> emplace(Name&& name, Value&& value) {
    if (const iterator found = find(name); found != this->end()) return {found, false};
    this->emplace_back(std::forward<Name>(name), std::move(value));
    if (index_) index_->emplace(hash(this->back().first), this->size() - 1);
    return {std::prev(this->end()), true};
  }
  template <class Name>
  Value& operator[](Name&& name) {
    return emplace(std::forward<Name>(name), Value{}).first->second;
  }
  iterator find(std::string_view name) {
    return this->begin() + static_cast<std::ptrdiff_t>(position(name));
  }
  const_iterator find(std::string_view name) const {
    return this->begin() + static_cast<std::ptrdiff_t>(position(name));
  }
  size_type count(std::string_view name) const { return position(name) < this->size() ? 1 : 0; }

  // Rare: positions change, so the index is made anew when it is next wanted.
  template <class... Where>
  auto erase(Where&&... where) {
    index_.reset();
    return Base::erase(std::forward<Where>(where)...);
  }
  template <class... What>
  auto insert(What&&... what) {
    index_.reset();
    return Base::insert(std::forward<What>(what)...);
  }
  void clear() noexcept {
    index_.reset();
    Base::clear();
  }

 private:
  static constexpr std::size_t many = 32;

  static std::size_t hash(std::string_view name) { return std::hash<std::string_view>{}(name); }

  std::size_t position(std::string_view name) const {
    if (this->size() < many) {
      std::size_t at = 0;
      while (at < this->size() && this->data()[at].first != name) ++at;
      return at;
    }
    if (!index_) {
      index_ = std::make_unique<Index>();
      for (std::size_t at = 0; at < this->size(); ++at)
        index_->emplace(hash(this->data()[at].first), at);
    }
    const auto [first, last] = index_->equal_range(hash(name));
    for (auto each = first; each != last; ++each)
      if (this->data()[each->second].first == name) return each->second;
    return this->size();
  }

  using Index = std::unordered_multimap<std::size_t, std::size_t>;  // hash → place
  mutable std::unique_ptr<Index> index_{};
};

}  // namespace skein
