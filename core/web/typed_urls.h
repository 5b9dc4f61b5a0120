// The web addresses that the user has written themselves: those may be fetched without a question.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace skein::web {

class TypedUrls {
 public:
  // Notes down the addresses in what the user has typed; pastes and files are not typed.
  void note(std::string_view text);
  // `url` as it would be asked for: see upgraded.
  bool has(const std::string& url) const { return urls_.contains(url); }

 private:
  std::set<std::string> urls_{};
};

}  // namespace skein::web
