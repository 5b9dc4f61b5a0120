// Finds what other programs run by themselves in the folders a command may write to: every git
// repository in whatever form, and the names of core/workspace/autorun_files. After the first look
// only changed folders are read again; what was found once is remembered, so nothing can hide.
#pragma once

#include "core/text/std.h"

#include "core/sandbox/guard_record.h"
#include "core/sandbox/tree_record.h"
#include "core/text/io.h"

namespace skein::sandbox {

// A name to be guarded.
struct GuardedPlace {
  enum class Rule {
    exact,    // any change is taken back
    hooks,    // a folder of git's: samples may appear with it
    config,   // git's configuration: harmless settings may change
    pointer,  // says where a repository is: may appear if that one is guarded too
    plan,     // of a rebase: may change as long as it runs nothing
  } rule = Rule::exact;
  bool first_seen_after_command = false;
};
using GuardedPlaces = std::map<std::string, GuardedPlace>;  // by absolute path

class AutorunFiles {
 public:
  // `areas`: the folders a command may write to, canonical. `home`: where shells start.
  AutorunFiles(const std::vector<std::string>& areas, const std::string& home);

  // In a folder that a command made itself, a separate project, only git is guarded.
  enum class Author { others, command };
  // False: `stopped` before everything was seen.
  bool look(
      Author author, const std::function<bool()>& stopped = [] { return false; });
  // Folders in which another command runs: whatever changes there is taken for a command's.
  void set_busy(std::vector<std::string> folders) { busy_ = std::move(folders); }
  bool is_busy(const std::string& path) const;

  // Writes what changed since the last call, or everything, for another process; without places.
  enum class Extent { changes, everything };
  bool save(Packer& out, Extent extent);  // whether there was anything
  void load(Unpacker& in);
  void load_place(const std::string& path, GuardedPlace place);

  const GuardedPlaces& places() const { return places_; }
  // Found elsewhere than by looking: what a pointer or a configuration names. Ignored outside.
  void add_git_folder(const std::string& path, Author author);
  void add(const std::string& path, GuardedPlace::Rule rule, Author author);
  bool is_top(const std::string& folder) const { return tops_.contains(folder); }
  // What `path` was called before its folder was renamed, at the last look; else the path itself.
  std::string earlier_name(const std::string& path) const;

  // The folder that holds `path`, reached without links, and the name in it.
  struct Opened {
    Fd folder{};
    std::string name{};
  };
  Opened open_above(const std::string& path) const;
  bool is_inside(const std::string& path) const;

  // Where a path ends when its links inside are followed; the links are guarded from now on, too.
  std::string follow(const std::string& path, Author author);

 private:
  struct Area {
    std::string path;
    Fd fd;
  };
  // A folder under whatever name; inodes are used again, the time of birth is not.
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    std::int64_t born_ns = 0;
    auto operator<=>(const Identity&) const = default;
  };
  struct Folder {
    ChangeStamp stamp{};
    Identity identity{};
    bool in_git = false;       // in a folder named .git
    bool of_packages = false;  // in node_modules: unpacked by the thousand, never opened
    bool made_by_command = false;
    bool gone = false;     // it was there, made by others, and went
    bool unsaved = false;  // its name is in `unsaved_`
  };
  struct Known {
    std::string path;
    bool made_by_command = false;
  };
  struct Listing;

  const Area* area_of(const std::string& path) const;
  std::vector<std::string> changed_folders();
  void list(const std::string& path, Author author, std::vector<std::string>& pending);
  void recognise(const std::string& path, int fd, Folder& folder);
  void touch(const std::string& path, Folder& folder);
  void take_in(const std::string& path, const Listing& listing, Author author,
               std::vector<std::string>& pending);

  std::vector<Area> areas_;
  std::unordered_map<std::string, Folder> folders_;
  std::vector<std::string> unsaved_;  // folders that have changed since save()
  std::vector<std::string> busy_;
  std::map<Identity, Known> known_;
  std::map<std::string, std::string> renamed_;  // since the last look, to the earlier name
  std::set<std::string> git_folders_, tops_;
  GuardedPlaces places_;
};

}  // namespace skein::sandbox
