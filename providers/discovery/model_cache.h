// What services said of their models, kept in one file so that the next process knows it without
// asking: read when it is first needed, replaced whole. A file that is damaged or cannot be written
// is no trouble, only a question more.
#pragma once

#include "providers/catalog/catalog.h"

namespace skein::discovery {

struct CachedListing {
  std::int64_t fetched = 0;  // ms since 1970
  std::vector<catalog::ServiceModel> models{};
};

class ModelCache {
 public:
  // An empty path keeps nothing.
  explicit ModelCache(std::string file) : file_(std::move(file)) {}

  // `place`: the provider's name with its address. Null: never asked.
  const CachedListing* find(const std::string& place);
  void keep(const std::string& place, CachedListing listing);

 private:
  void load();

  std::string file_;
  bool loaded_ = false;
  std::map<std::string, CachedListing> all_{};
};

}  // namespace skein::discovery
