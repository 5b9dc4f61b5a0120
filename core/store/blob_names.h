// What blobs are called: by the SHA-256 of their bytes, in lower-case hex. Whatever looks like that
// in a transcript counts as one that it refers to.
#pragma once

#include "core/text/std.h"

namespace skein::store {

bool is_blob_name(std::string_view name);
// Without what checkpoints of files refer to: that stays on the machine where the files are.
std::set<std::string> blob_names_in(std::string_view lines);

// The same for lines that come in pieces, checkpoints apart: older ones thin out.
class BlobNameFinder {
 public:
  void take(std::string_view piece);
  // All of it was taken. Of checkpoints the last `newest` count, and the first of each day; or
  // none.
  std::set<std::string> finish(std::optional<std::size_t> newest);
  // Of those, the ones that are lists of further ones.
  const std::set<std::string>& lists() const { return lists_; }

 private:
  struct Line {
    std::string day{};
    std::set<std::string> names{}, lists{};
  };

  void end_run();
  void end_line();

  std::set<std::string> found_{}, lists_{};
  std::vector<Line> checkpoints_{};
  Line line_{};           // up to here
  std::string head_{};    // how it begins
  std::string run_{};     // of hex digits, up to here
  std::string before_{};  // what stood before that, as far as it matters
  bool listed_ = false;   // the run is the name of a list
};

}  // namespace skein::store
