// What became of one file, as far as the checkpoints of all sessions have seen it: its versions,
// and who made each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoints/checkpoint_log.h"

namespace skein::checkpoints {

// One look at the file.
struct Sighting {
  Id session{};
  store::Position at = 0;  // of the checkpoint
  std::string time{};
  std::string run_id{};        // may be empty
  std::string root{};          // the workspace it was seen in
  std::optional<Id> prompt{};  // whose turn it was; none: a restore's, or a snapshot's
  bool after = false;          // the turn, or the restore
  std::string coverage{}, commit{};
  std::optional<KeptFile> row{};  // none: as `coverage` says of what is not listed
};

struct FileVersion {
  std::string hash{};  // of what is in it; empty: there is no such file
  enum class By { first, turn, restore, outside } by = By::first;
  Sighting seen{};      // what saw it first; without a time: it is seen now
  std::string since{};  // when the version before was last seen
  std::string last_seen{};
};

class FileHistory {
 public:
  // `folder` is the one the file is in, wherever the workspaces of the sessions begin; must outlive
  // this. Throws Error if the file cannot be read or is not text.
  FileHistory(WorkspaceFiles& folder, std::string name);

  // The oldest first, the present one last; what looks the same twice is one.
  const std::vector<FileVersion>& versions() const { return versions_; }
  // none: it is not kept any more.
  std::optional<std::string> text(const FileVersion& version) const;
  // What could not be read, for the user.
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  void look_through(const store::SessionRecord& record);
  void take(Id session, const store::StoredEntry& placed);
  void settle();
  std::optional<std::string> hash_in(const Sighting& sighting);
  std::optional<std::string> hash_in_commit(const std::string& commit);
  void add(const Sighting& sighting, const std::string& hash, FileVersion::By by);

  WorkspaceFiles& folder_;
  std::string name_;
  std::vector<Sighting> sightings_{};
  std::vector<FileVersion> versions_{};
  std::vector<std::string> troubles_{};
  std::map<std::string, std::string> texts_{};  // by hash: the present one, and those of commits
  std::map<std::string, std::optional<std::string>> in_commits_{};
  bool ignored_ = false;    // by git
  bool walked_ = false;     // a walk has listed it, so it is none that walks pass over
  bool converted_ = false;  // what git has of it is not what is in it
};

}  // namespace skein::checkpoints
