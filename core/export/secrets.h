// Keys, tokens and passwords in what others will read, replaced by `‹secret 1›`: the same one has
// the same number everywhere. Hashes, UUIDs and encoded images are not secrets.
#pragma once

#include "core/text/base.h"

namespace skein::exporters {

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
// "masked 3 secrets: 2 GitHub tokens, 1 private key"
std::string masked_report(const std::vector<FoundSecret>& found);

// What keys, tokens and passwords look like: one row for each form. To know one more is to add a
// row.
struct SecretForm {
  std::string_view name;
  // RE2, over bytes. A group, if there is one, is the secret; else all of it is.
  std::string_view pattern;
};

// The more specific first: the first that fits at a place names what is there.
std::span<const SecretForm> secret_forms();

}  // namespace skein::exporters
