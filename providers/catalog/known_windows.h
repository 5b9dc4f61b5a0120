// What servers have said about their models' windows when they refused a request, saved in a small
// file so that the next process need not be refused as well. It holds for a day: a server may be
// started again with another window. A file that is damaged or cannot be written is no trouble,
// only a refusal more.
#pragma once

#include "core/text/std.h"

namespace skein::catalog {

struct KnownWindow {
  std::int64_t tokens = 0;
  double tokens_per_guess = 0;
  bool operator==(const KnownWindow&) const = default;
};

class KnownWindows {
 public:
  // An empty path keeps nothing.
  explicit KnownWindows(std::string file) : file_(std::move(file)) {}

  // `model` with the address of its server; `now` in ms since 1970.
  std::optional<KnownWindow> find(const std::string& model, std::int64_t now) const;
  void keep(const std::string& model, const KnownWindow& window, std::int64_t now) const;

 private:
  std::string file_;
};

}  // namespace skein::catalog
