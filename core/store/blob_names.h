// What blobs are called: by the SHA-256 of their bytes, in lower-case hex. Whatever looks like that
// in a transcript counts as one that it refers to.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace skein::store {

bool is_blob_name(std::string_view name);
std::set<std::string> blob_names_in(std::string_view text);

// The same for a text that comes in pieces.
class BlobNameFinder {
 public:
  void take(std::string_view piece);
  std::set<std::string> finish();

 private:
  std::set<std::string> found_{};
  std::string run_{};  // of hex digits, up to here
};

}  // namespace skein::store
