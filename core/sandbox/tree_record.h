// What a name refers to (a file, a link, a folder with all that is in it), in memory, to compare
// and restore it later. Everything is reached from an open folder without following a link.
#pragma once

#include "core/text/std.h"

#include <sys/stat.h>

#include "core/sandbox/guard_record.h"
#include "core/text/io.h"
#include "core/workspace/real_place.h"

namespace skein::sandbox {

// The folder at `path` (relative; "" and "." are `root`), for reading; none if a link is on it.
Fd open_below(int root, std::string_view path);

// Every name in an open folder; links are never folders.
void each_name(Fd folder, const std::function<void(const std::string& name, bool is_folder)>& take);

// When a folder or a file was last changed, in a form that cannot be faked. A change within the
// same tick of the clock cannot be seen, so what is this fresh is never taken to be unchanged.
struct ChangeStamp {
  workspace::FileId id{};
  std::int64_t changed_ns = 0;
  bool fresh = true;
  bool operator==(const ChangeStamp&) const = default;
};
ChangeStamp stamp_of(const struct stat& info);
bool surely_unchanged(const ChangeStamp& before, const ChangeStamp& now);

struct Recorded {
  enum class Kind { file, folder, link, other } kind = Kind::other;
  mode_t mode = 0;
  std::string bytes{};  // what is in a file, what a link leads to
  bool whole = true;    // false: too large to be kept, or not readable
  bool shared = false;  // the file has further names
  ChangeStamp stamp{};
};
bool same(const Recorded& a, const Recorded& b);

// By path below the name, "" being the name itself; nothing if there is nothing.
using TreeRecord = std::map<std::string, Recorded>;
bool same(const TreeRecord& a, const TreeRecord& b);

// How a tree has changed: what is new or different in any way, and the names of what is gone.
struct TreeChanges {
  std::vector<TreeRecord::const_iterator> changed{};  // of the later tree
  std::vector<std::string> gone{};
  bool empty() const { return changed.empty() && gone.empty(); }
};
TreeChanges changes_between(const TreeRecord& before, const TreeRecord& now);
void save(Packer& out, const TreeChanges& changes);
void load(Unpacker& in, TreeRecord& tree);  // applies them

// `earlier`: what has not changed since is taken from there, not read again.
TreeRecord record_tree(int folder, const std::string& name, const TreeRecord& earlier = {});

// Puts one recorded thing under a name that is free. False if it cannot be done.
bool put(int folder, const std::string& name, const Recorded& thing);

// Where things go that were taken out of the workspace: nothing is thrown away.
class Quarantine {
 public:
  // `folder` is made when it is needed. Without one (""), and where there is no room in it, a thing
  // stays in its place under a name that no program looks for.
  explicit Quarantine(std::string folder) : folder_(std::move(folder)) {}

  // Takes away what `name` refers to; `path` is its name for people. False if it is still there.
  bool take(int folder, const std::string& name, const std::string& path);

  // Where everything taken since the last call went, for people to read; empty: nothing was taken.
  std::string place();

 private:
  std::string folder_, bundle_{};
  bool left_in_place_ = false;
};

}  // namespace skein::sandbox
