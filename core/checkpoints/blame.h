// Who wrote a line of a file: traced back through the versions that checkpoints have seen to the
// one that brought it, and from there to the message, the call and the model.
#pragma once

#include "core/checkpoints/checkpoint_log.h"
#include "core/model/entry.h"

namespace skein::checkpoints {

// One look at a file.
struct Sighting {
  Id session{};
  store::Position at = 0;  // of the checkpoint
  std::string time{};
  std::string run_id{};                     // may be empty
  model::payload::Checkpoint checkpoint{};  // without its files
  std::optional<KeptFile> row{};            // none: as it says of what is not listed
};

struct FileVersion {
  std::string hash{};  // of what is in it; empty: there is no such file
  enum class By { first, turn, restore, outside } by = By::first;
  Sighting seen{};      // what saw it first; without a time: it is seen now
  std::string since{};  // when the version before was last seen
  std::string last_seen{};
};

// The versions of one file that the checkpoints of all sessions have seen, and who made each.
struct FileHistory {
  // In whichever workspace; must outlive this. Throws Error if the file is no readable text.
  FileHistory(WorkspaceFiles& in_folder, const std::string& name);
  // none: it is not kept any more.
  std::optional<std::string> text(const FileVersion& version) const;

  WorkspaceFiles& folder;
  // The oldest first, the present one last; what looks the same twice is one.
  std::vector<FileVersion> versions{};
  std::vector<std::string> troubles{};         // what could not be read, for the user
  std::map<std::string, std::string> texts{};  // by hash: the present one, and those of commits
};

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
  std::optional<model::Entry> entry{};  // the answer with the call that wrote it, as far as
                                        // that is known
  std::string call{};                   // "write src/main.c", "bash make"
  std::string model{};                  // provider/model
};
// Of a version that a turn made. `text` is what the line says.
store::Result<LineAuthor> author_of(store::SessionStore& store, const FileVersion& version,
                                    const std::string& file, std::string_view text);

}  // namespace skein::checkpoints
