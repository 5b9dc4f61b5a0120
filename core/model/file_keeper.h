// What keeps the files of the workspace beside the conversation, as the loop sees it: told before
// something changes them and when a turn is over, it answers with the entries to be written.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/entry.h"
#include "core/text/base.h"

namespace skein::model {

// A file that is about to be written, as it is under the very handle it was opened with.
struct FileBefore {
  std::string_view below;                   // its path in the workspace, after links
  std::optional<std::string_view> bytes{};  // none: there is no such file, or `too_large`
  mode_t mode = 0;
  std::uint64_t size = 0;
  bool too_large = false;
};

class FileKeeper {
 public:
  virtual ~FileKeeper() = default;

  struct Moment {
    Id session{};
    std::optional<Id> prompt{};  // that the turn answers
    std::string run_id{};        // the turn
    std::function<bool()> stopped = [] { return false; };
  };
  struct Kept {
    std::vector<Entry> entries{};        // to be written before anything is changed
    std::vector<std::string> notices{};  // what the user should know: what is not covered
    std::string refusal{};               // not empty: nothing may be changed, and why
  };
  // Before something that may change any file.
  virtual Kept before_command(const Moment& moment) = 0;
  virtual Kept before_write(const Moment& moment, const FileBefore& file) = 0;
  // Nothing was changed: nothing is done.
  virtual Kept after_turn(const Moment& moment) = 0;
};

}  // namespace skein::model
