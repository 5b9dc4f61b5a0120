// Replaces and removes files without losing a save of another program. New contents are written to
// a temporary file in the same folder and exchanged with what is in the place. What came out is
// deleted only if it is what was expected; if it is not, it is put back.
#pragma once

#include <sys/stat.h>

#include "core/text/io.h"
#include "core/workspace/root.h"

namespace skein::workspace {

// Notes on temporary files in the workspace, kept outside of it while they exist. If skein is
// killed, the next one finds there what is left and clears it away without searching.
class Unfinished {
 public:
  // About files below `root`. The note is a file in `folder` (empty: nothing is noted), locked
  // while this lives and removed with it. It survives the process, not a power cut.
  Unfinished(std::string root, std::string folder)
      : root_(std::move(root)), folder_(std::move(folder)) {}
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  // Paths below the root. Without `deletable` the temporary file holds nothing of others. With it
  // the file may hold what was in the place, and is deleted only if it is one of these versions.
  void note(const std::string& temporary, const std::string& place,
            std::initializer_list<struct stat> deletable = {});

  // What killed processes left: deleted, or if another program had saved it, put back or set
  // aside. Returns a sentence on each file that was not deleted.
  static std::vector<std::string> clear(const std::string& folder);

 private:
  std::string root_, folder_;
  std::string file_{};
  Fd note_{};
};

// Whether a path ends in the name of a temporary file of skein's.
bool is_temporary(std::string_view path);

// The same file with the same size, mode and time of its last change.
bool same_version(const struct stat& a, const struct stat& b);

struct NewContents {
  std::string_view bytes{};      // for a link: where it leads
  std::optional<mode_t> mode{};  // left out: the mode of the file it replaces
  bool is_link = false;
};

// If another process has the old file open and writes to it after the comparison, that write is
// lost unless the kernel answers whether there is a writer (a lease: local file system, own file).
// Where names cannot be exchanged, a save by renaming is lost between the last look and the rename.
class StagedFile {
 public:
  // Both must outlive this. Without `expected` there must be no file.
  StagedFile(const FilePlace& place, std::optional<Expected> expected, Unfinished& notes)
      : place_(place), expected_(std::move(expected)), notes_(notes) {}
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  enum class Sync { now, later };  // later: by the caller, before it takes its place
  // Each returns why it was not done; empty: it was.
  std::string fill(const NewContents& file, Sync sync);
  // `filled` recognizes what was filled in, if it has to be taken out again.
  std::string take_place(Holds filled);

 private:
  std::string objection() const;
  std::string write_file(const NewContents& file, Sync sync) const;
  bool exchange() const;
  std::string appear();
  std::string overwrite();
  std::string put_back();
  std::string delete_temporary();

  const FilePlace& place_;
  std::optional<Expected> expected_;
  Unfinished& notes_;
  std::string temporary_{};  // empty: there is none
  Expected staged_{};
};

// Deletes what is in the place; returns why it did not.
std::string remove_expected(const FilePlace& place, const Expected& expected, Unfinished& notes);

// Gives a file that is not ours to delete a name that people notice. Returns its path.
std::string set_aside(const FilePlace& place, const std::string& temporary);

}  // namespace skein::workspace
