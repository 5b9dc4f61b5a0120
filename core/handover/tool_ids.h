// Ids of tool calls, fitted to a target: one map for a whole transcript, so that no two calls
// share an id, whichever model made them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/handover/target.h"

namespace skein::handover {

class ToolIds {
 public:
  explicit ToolIds(IdRule rule) : rule_(rule) {}

  // The id for the next call. It depends only on this call's id and on the calls before it, so
  // what was sent earlier stays as it was. An id that fits and is free is kept.
  std::string next(const std::string& original);

 private:
  std::string fitted(std::string_view original) const;
  std::string marked(std::string_view stem, std::uint64_t hash) const;

  IdRule rule_;
  std::unordered_set<std::string> taken_{};
  std::unordered_map<std::string, std::uint64_t> tries_{};  // keeps a thousand equal ids linear
};

}  // namespace skein::handover
