// What lies under a name (a file, a link, a folder with all that is in it), kept in memory so that
// it can be compared later and put back. Everything is reached from an open folder without
// following a link.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/fd.h"
#include "core/tools/sandbox/guard_record.h"
#include "core/tools/workspace/root.h"

namespace skein::tools::sandbox {

// The folder at `path` (relative, "" or "." is `root` itself), opened for reading; no folder if a
// link or anything else is on the way.
Fd open_below(int root, std::string_view path);

// Every name in an open folder; links are never folders.
void each_name(Fd folder, const std::function<void(const std::string& name, bool is_folder)>& take);

// When a folder or a file was last changed, in a form that cannot be faked. A change within the
// same tick of the clock cannot be seen, so what is this fresh is never taken to be unchanged.
struct Stamp {
  workspace::FileId id{};
  std::int64_t changed_ns = 0;
  bool fresh = true;
  bool operator==(const Stamp&) const = default;
};
Stamp stamp_of(const struct stat& info);
bool surely_unchanged(const Stamp& before, const Stamp& now);

struct Recorded {
  enum class Kind { file, folder, link, other } kind = Kind::other;
  mode_t mode = 0;
  std::string bytes{};  // what is in a file, what a link leads to
  bool whole = true;    // false: too large to be kept, or not readable
  bool shared = false;  // the file has further names
  Stamp stamp{};
};
bool same(const Recorded& a, const Recorded& b);

// By path below the name, "" being the name itself; nothing if there is nothing.
using TreeRecord = std::map<std::string, Recorded>;
bool same(const TreeRecord& a, const TreeRecord& b);

// What has become of a tree: its things that are new or different in any way, and the names of
// those that are gone.
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

}  // namespace skein::tools::sandbox
