// New contents on their way into a place of the workspace, and files on their way out of it, so
// that no save of another program is lost. The new contents are written to a temporary file in the
// same folder and exchanged with what is in the place. What came out is deleted only if it is what
// was expected; if it is not, it is put back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/tools/workspace/root.h"
#include "core/tools/workspace/unfinished.h"

namespace skein::tools::workspace {

// Whether a path ends in the name of a temporary file of skein's.
bool is_temporary(std::string_view path);

// The same file with the same size, mode and time of its last change.
bool same_version(const struct stat& a, const struct stat& b);

struct NewFile {
  std::string_view bytes{};      // for a link: where it leads
  std::optional<mode_t> mode{};  // left out: the mode of the file it replaces
  bool is_link = false;
};

// With a process that has the old file open and writes to it later, the kernel is asked whether
// there is one (a lease, which needs a local file system and the file's owner). Without an answer
// such a write is lost if it comes after the comparison. Where the file system cannot exchange
// names, a save by renaming is lost if it comes between the last look and the rename.
class StagedFile {
 public:
  // Both must outlive this. Without `expected` there must be no file.
  StagedFile(const Place& place, std::optional<Expected> expected, Unfinished& notes)
      : place_(place), expected_(std::move(expected)), notes_(notes) {}
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  enum class Sync { now, later };  // later: by the caller, before it takes its place
  // Each returns why it was not done; empty: it was.
  std::string fill(const NewFile& file, Sync sync);
  // `filled` recognizes what was filled in, if it has to be taken out again.
  std::string take_place(Holds filled);

 private:
  std::string objection() const;
  std::string write_file(const NewFile& file, Sync sync) const;
  bool exchange() const;
  std::string appear();
  std::string overwrite();
  std::string put_back();
  std::string delete_temporary();

  const Place& place_;
  std::optional<Expected> expected_;
  Unfinished& notes_;
  std::string temporary_{};  // empty: there is none
  Expected staged_{};
};

// Deletes what is in the place; returns why it did not.
std::string remove_expected(const Place& place, const Expected& expected, Unfinished& notes);

// Gives a file that is not ours to delete a name that people notice. Returns its path.
std::string set_aside(const Place& place, const std::string& temporary);

}  // namespace skein::tools::workspace
