// Files that hold instructions, read with care, since anybody may have put them there: regular
// files only, a bounded part of them, and none that a link brings in from outside of the project.
// Remembers what it looked at, so that it can be told when that has changed.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/tools/workspace/root.h"

namespace skein::instructions {

struct SourceText {
  std::string text{};    // valid UTF-8, lines end in \n alone; cut at the end of one
  std::size_t size = 0;  // of the whole file, in bytes
  bool cut = false;
  tools::workspace::FileId id{};
};

class Source {
 public:
  // Whether a file of the project, named from its root, is kept from the model.
  using Withheld = std::function<bool(const std::string& below)>;

  // Of each file the first `most_bytes`. `project` may be a folder that cannot be opened: then it
  // has no files. `withheld` may be empty.
  Source(std::string project, std::size_t most_bytes, Withheld withheld);

  // A file in the project, after links. none: there is none, or it is refused (see remarks()).
  std::optional<SourceText> of_project(const std::string& path);
  // A file of the user's own, wherever it is and whatever links lead to it.
  std::optional<SourceText> of_user(const std::string& path);
  // The names in a folder of the project that end in `suffix`, sorted; at most a few hundred.
  std::vector<std::string> names_in(const std::string& folder, const std::string& suffix);

  const std::string& project() const { return project_; }
  const std::vector<std::string>& remarks() const { return remarks_; }  // what was refused, and why
  void remark(std::string text) { remarks_.push_back(std::move(text)); }

  // Whether something that was read, or was looked for in vain, is different now.
  bool has_changed() const;

 private:
  struct Stamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = -1;  // there is none
    std::int64_t modified_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::string& path);
  std::optional<SourceText> read(const tools::workspace::Opened& file, const std::string& path);
  const tools::workspace::Root* root();  // null: it cannot be opened
  static tools::workspace::Place place_of(const tools::workspace::Root& root,
                                          const std::string& path);

  std::string project_;
  std::size_t most_bytes_;
  Withheld withheld_;
  std::unique_ptr<tools::workspace::Root> root_{};  // made when it is first needed
  std::map<std::string, Stamp> stamps_{};
  std::vector<std::string> remarks_{};
};

}  // namespace skein::instructions
