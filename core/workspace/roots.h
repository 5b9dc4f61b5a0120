// Where tools may work: the workspace, additional directories, folders of skills for reading only.
#pragma once

#include "core/model/tool.h"
#include "core/workspace/ignored_paths.h"
#include "core/workspace/root.h"

namespace skein::workspace {

// Folders of skills: tools only read there. Each is a separate root, so that no link leads out.
class ReadableFolders {
 public:
  // Real places; `tops` are the few folders that hold them all.
  void set(std::unordered_set<std::string> folders, std::set<std::string> tops) {
    folders_ = std::move(folders);
    tops_ = std::move(tops);
  }
  // What the model is kept from in the workspace and its project it is kept from here too.
  void withhold(IgnoredPaths::Settings settings) { withheld_ = std::move(settings); }
  const std::set<std::string>& tops() const { return tops_; }
  // Of the folder that an absolute path is in, by its words; null: in none.
  std::shared_ptr<const Root> root_of(std::string_view path) const;

 private:
  std::unordered_set<std::string> folders_{};
  std::set<std::string> tops_{};
  std::optional<IgnoredPaths::Settings> withheld_{};
};

// Folders outside the workspace that the user has opened to the tools. Each is a separate root, so
// that no link leads out. What is closed in the workspace is closed there, too.
struct AdditionalDirectory {
  std::string path{};  // a real place
  bool read_only = false;
  bool operator==(const AdditionalDirectory&) const = default;
};

class AdditionalDirectories {
 public:
  struct Settings {
    std::string workspace{};               // a real place
    std::vector<std::string> forbidden{};  // as of the workspace's Root
    IgnoredPaths::Settings withheld{};     // of the workspace
    std::string unfinished{};              // as Root takes it
  };
  explicit AdditionalDirectories(Settings settings) : settings_(std::move(settings)) {}

  // The folder that is meant, if it may be opened. Throws Error if not.
  AdditionalDirectory checked(std::string_view path, bool read_only) const;
  // The user's home folder, or one above it: more than most want to open.
  static bool is_wide(const AdditionalDirectory& folder);

  // Replaces them. Returns what could not be opened, and why: "/x: there is no such folder".
  std::vector<std::string> set(const std::vector<AdditionalDirectory>& folders);
  std::vector<AdditionalDirectory> folders() const;

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

class Roots {
 public:
  enum class Use { reads, writes };

  // The others may be null.
  Roots(std::shared_ptr<const Root> workspace,  // NOLINT(google-explicit-constructor)
        std::shared_ptr<const ReadableFolders> readable = {},
        std::shared_ptr<const AdditionalDirectories> further = {})
      : workspace_(std::move(workspace)),
        readable_(std::move(readable)),
        further_(std::move(further)) {}

  const std::shared_ptr<const Root>& workspace() const { return workspace_; }

  struct Chosen {
    std::shared_ptr<const Root> root{};
    bool further = false;
    bool closed = false;  // to that use
  };
  Chosen of(std::string_view path, Use use) const;
  // As Root::located; of an additional directory as further_place says it.
  model::Located located(std::string_view path, Use use) const;
  // What a tool gets that works in there: as if it were the workspace, whose files alone are kept.
  static model::ToolPorts ports_in(const Chosen& chosen, const model::ToolPorts& ports);
  static std::string closed_to_changes(std::string_view path);

 private:
  std::shared_ptr<const Root> workspace_;
  std::shared_ptr<const ReadableFolders> readable_;
  std::shared_ptr<const AdditionalDirectories> further_;
};

}  // namespace skein::workspace
