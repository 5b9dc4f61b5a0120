#include "core/store/blob_names.h"

#include <algorithm>
#include <utility>

namespace skein::store {

namespace {

constexpr std::size_t name_length = 64;

bool is_name_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

bool is_blob_name(std::string_view name) {
  return name.size() == name_length && std::ranges::all_of(name, is_name_digit);
}

std::set<std::string> blob_names_in(std::string_view text) {
  BlobNameFinder finder;
  finder.take(text);
  return finder.finish();
}

void BlobNameFinder::take(std::string_view piece) {
  for (const char c : piece) {
    if (is_name_digit(c)) {
      if (run_.size() <= name_length) run_ += c;
      continue;
    }
    if (run_.size() == name_length) found_.insert(run_);
    run_.clear();
  }
}

std::set<std::string> BlobNameFinder::finish() {
  take("\n");
  return std::move(found_);
}

}  // namespace skein::store
