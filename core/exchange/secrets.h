// Keys, tokens and passwords in what others will read, replaced by `‹secret 1›`: the same one has
// the same number wherever it stands. Hashes, UUIDs and encoded images are none.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/base.h"

namespace skein::exchange {

struct FoundSecret {
  std::size_t number = 0;
  std::string kind{};   // "GitHub token"
  std::string shown{};  // its beginning and its length: enough to know which it is
  std::string place{};  // where it was first
  std::size_t times = 0;
};

class SecretMask {
 public:
  // What follows is of this place, for the report.
  void enter(std::string place) { place_ = std::move(place); }

  // What has been found once is also masked where nothing around tells that it is a secret: to mask
  // what came before its first telling, go over all of it twice.
  std::string text(std::string_view text);
  // Every text in a JSON value, as it reads and not as it is escaped; the rest stays byte by byte.
  JsonText json(std::string_view json);

  const std::vector<FoundSecret>& found() const { return found_; }

 private:
  std::string formed(std::string_view text);
  std::string assigned(std::string_view text);
  std::string known(std::string text) const;
  std::string masked_member(std::string_view name, std::string_view value);
  std::string mark(std::string_view kind, std::string_view secret);

  std::string place_{};
  std::map<std::string, std::size_t, std::less<>> numbers_{};  // by the secret itself
  std::vector<FoundSecret> found_{};                           // by number, from 1 on
};

// "2 GitHub tokens, 1 private key"; empty: nothing was found.
std::string counts_by_kind(const std::vector<FoundSecret>& found);

}  // namespace skein::exchange
