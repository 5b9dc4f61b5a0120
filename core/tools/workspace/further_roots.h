// Folders beside the workspace that the user has opened to the tools. Each is a root of its own, so
// that no link in it leads out, and what is closed in the workspace is closed there: skein's own
// files, what the model is kept from.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/tools/workspace/root.h"
#include "core/tools/workspace/withheld.h"

namespace skein::tools::workspace {

struct FurtherFolder {
  std::string path{};  // a real place
  bool read_only = false;
  bool operator==(const FurtherFolder&) const = default;
};

class FurtherRoots {
 public:
  struct Settings {
    std::string workspace{};               // a real place
    std::vector<std::string> forbidden{};  // as of the workspace's Root
    Withheld::Settings withheld{};         // of the workspace
    std::string unfinished{};              // as Root takes it
  };
  explicit FurtherRoots(Settings settings) : settings_(std::move(settings)) {}

  // The folder that is meant, if it may be opened. Throws Error if not.
  FurtherFolder checked(std::string_view path, bool read_only) const;
  // The user's home folder, or one above it: more than most want to open.
  static bool is_wide(const FurtherFolder& folder);

  // Instead of those so far. What cannot be opened (any more) is left out, and named in what is
  // returned: "/x: there is no such folder".
  std::vector<std::string> set(const std::vector<FurtherFolder>& folders);
  std::vector<FurtherFolder> folders() const;

  struct Found {
    std::shared_ptr<const Root> root{};  // null: in none
    bool read_only = false;
  };
  // By the words of an absolute path.
  Found find(std::string_view path) const;
  std::vector<Found> all() const;

 private:
  std::shared_ptr<const Root> open(const std::string& path) const;
  std::string closed_by(const std::string& place) const;

  Settings settings_;
  mutable std::mutex reading_{};  // tools may run in several threads
  std::vector<Found> opened_{};
};

}  // namespace skein::tools::workspace
