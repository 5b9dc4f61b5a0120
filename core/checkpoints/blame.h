// Who wrote a line of a file: traced back through the versions that checkpoints have seen to the
// one that brought it, and from there to the message, the call and the model.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/checkpoints/file_history.h"
#include "core/model/entry.h"

namespace skein::checkpoints {

struct LineOrigin {
  std::size_t version =
      0;                 // the one that has the line first; 0: it was there when it was first seen
  std::size_t line = 0;  // its number there, from 1
  std::size_t lost = 0;  // versions right before that one which are not kept: one of those may
                         // have brought it
};

// Pure. `line` counts from 1 and is one of the last version, whose text must be there.
LineOrigin origin_of_line(
    std::span<const FileVersion> versions, std::size_t line,
    const std::function<std::optional<std::string>(const FileVersion&)>& text);

struct LineAuthor {
  model::Entry prompt{};
  std::optional<model::Entry> entry{};  // the answer with the call that wrote it, as far as that
                                        // can be told
  std::string call{};                   // "write src/main.c", "bash make"
  std::string model{};                  // provider/model
};
// Of a version that a turn made. `text` is what the line says.
store::Result<LineAuthor> author_of(store::SessionStore& store, const FileVersion& version,
                                    const std::string& file, std::string_view text);

}  // namespace skein::checkpoints
