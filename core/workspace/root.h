// Files inside the workspace, and no others. A path from a model becomes a place (an open folder
// and a name in it) in steps that the file system itself confines; what follows works on that open
// folder, so nothing that is renamed or linked at the same time leads out.
#pragma once

#include <sys/stat.h>

#include "core/model/tool.h"
#include "core/text/io.h"
#include "core/workspace/ignored_paths.h"
#include "core/workspace/real_place.h"

namespace skein::workspace {

// A name in an open folder inside the root. Name "." is the folder itself. If `refusal` is not
// empty there is no place, and it is the sentence that says why.
struct FilePlace {
  Fd folder{};
  std::string name{};
  std::string refusal{};
  std::string below{};   // its path in the workspace, after links
  bool missing = false;  // a folder on the way is not there
  bool closed = false;   // one of skein's own files
  explicit operator bool() const { return refusal.empty(); }
};

// An open file or folder, or the sentence that says why there is none.
struct OpenedFile {
  Fd fd{};
  struct stat info {};
  std::string refusal{};
  bool missing = false;  // nothing of that name: the one refusal a writer may overlook
  explicit operator bool() const { return refusal.empty(); }
};

// Compares an open file with what is expected in it.
using Holds = std::function<bool(int fd)>;
Holds holding(std::string_view bytes);  // which must outlive it

// What a place should hold, as `holds` recognizes it; without that, by size and time in `info`.
struct Expected {
  struct stat info {};
  Holds holds{};
};

// How folders are resolved: in one call (openat2, Linux 5.6) or step by step, equally safely.
enum class Resolver { kernel, walk };
Resolver best_resolver();

class Root {
 public:
  // `forbidden`: folders or files, existing or not, that no tool may touch even though they lie
  // below `folder`, or it in them. `withheld`: what the model is kept from; shared with what
  // shows it; may be null. `unfinished`: see Unfinished. Throws Error if `folder` cannot be opened.
  Root(std::string folder, std::vector<std::string> forbidden, Resolver resolver = best_resolver(),
       std::shared_ptr<const IgnoredPaths> withheld = nullptr, std::string unfinished = {});

  const std::string& path() const { return path_; }  // canonical, absolute
  int fd() const { return fd_.get(); }               // the open folder itself
  const std::vector<std::string>& forbidden() const { return forbidden_; }  // absolute
  const IgnoredPaths* withheld() const { return withheld_.get(); }          // may be null
  const std::string& unfinished() const { return unfinished_; }

  // imagine: as make_folders, but makes nothing; then `folder` is the last one that exists.
  enum class Missing { refuse, make_folders, imagine };
  // follow: symbolic links that stay inside, the last one too. refuse: a link on the way counts as
  // a missing folder, and one at the end is the place itself.
  enum class Links { follow, refuse };
  FilePlace locate(std::string_view path, Missing folders = Missing::refuse,
                   Links links = Links::follow) const;

  // For rules to judge: where `path` leads now, whether it may be touched or not.
  model::Located located(std::string_view path) const;

  // A regular file, for reading; never a device, FIFO or socket, and never blocks.
  OpenedFile open_file(const FilePlace& place) const;
  OpenedFile open_folder(const FilePlace& place) const;

  // Puts `bytes` in the file's place, all or nothing (see StagedFile). A replaced file keeps its
  // mode. A file that is not as expected is left alone; without `expected` there must be none.
  // Returns the reason why nothing was written; empty: done.
  std::string replace(const FilePlace& place, std::string_view bytes,
                      const std::optional<Expected>& expected = std::nullopt) const;

  // The path below the root as people write it; "." for the root itself. Nothing is looked up.
  std::string shown(std::string_view path) const;

 private:
  struct Barrier {  // what a forbidden path is right now
    FileId folder;
    std::string name;  // empty: `folder` is the forbidden thing; else this name in it is
  };
  struct Folder {
    Fd fd{};
    int error = 0;
    bool outside = false;
    std::string below{};    // empty: the root itself
    bool imagined = false;  // `fd` is a folder above the one that was named
  };

  FilePlace locate_anyway(std::string_view path, Missing folders, Links links) const;
  std::string withheld_by(std::string_view path, const FilePlace& place) const;
  std::optional<std::string> inside(std::string_view path) const;
  Folder folder_at(const std::string& path, Links links) const;
  Folder walk_to(const std::string& path, Links links) const;
  Folder folder_or_missing(const std::string& path, Missing how, Links links) const;
  std::optional<std::string> path_below(int folder) const;
  std::vector<Barrier> barriers() const;
  bool is_forbidden(int folder, std::string_view name) const;

  std::string path_;
  std::string given_path_;
  std::vector<std::string> forbidden_;
  Resolver resolver_;
  std::shared_ptr<const IgnoredPaths> withheld_;
  std::string unfinished_;
  Fd fd_;
  FileId id_;
  bool closed_ = false;  // the root itself is in something forbidden
};

}  // namespace skein::workspace
