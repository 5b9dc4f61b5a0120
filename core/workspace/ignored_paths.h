// What the model is kept from: paths that .skeinignore and its siblings name, in the project and in
// the user's own file; and files that look like secrets, about which the user is asked.
#pragma once

#include "core/text/std.h"

#include "core/workspace/real_place.h"

namespace skein::workspace {

// The patterns of one file, ready to be tried on many paths.
class IgnoreFile {
 public:
  struct Pattern {
    std::string glob;
    bool negated = false;
    bool folders_only = false;
    bool anchored = false;  // holds a slash: matched against the path, not only the name
    std::size_t line = 0;   // in its file, from 1
  };
  // `folder`: which they are relative to ("" is the workspace). `shown`: the file, for people.
  IgnoreFile(std::string_view folder, std::string_view text, std::string shown = {});

  // The last one that speaks of a path, which begins where all paths do; null: none does.
  const Pattern* last_for(std::string_view path, EntryKind kind) const;
  std::string place_of(const Pattern& pattern) const;  // ".skeinignore:3"
  const std::vector<Pattern>& patterns() const { return patterns_; }

 private:
  std::string folder_, shown_;
  std::vector<Pattern> patterns_{};
  // Most are plain names; the others have to be tried one by one.
  std::map<std::string, std::vector<std::size_t>, std::less<>> plain_{};
  std::map<char, std::vector<std::size_t>> wild_{};  // by the last letter; '*': any
};

// Whether git would ignore it. `files` from the outermost to the innermost. `path` is relative to
// the workspace; its parent folders must be known not to be ignored.
bool is_ignored(const std::vector<IgnoreFile>& files, std::string_view path, EntryKind kind);

// Its const functions may be called from several threads.
class IgnoredPaths {
 public:
  struct Settings {
    std::string workspace{};           // absolute, after links
    std::string project{};             // the folder it is part of, or the workspace itself
    std::string own_file{};            // the user's; empty: none
    std::vector<std::string> names{};  // of the files in folders, each a separate list
  };
  explicit IgnoredPaths(Settings settings);

  // Which line keeps this path of the workspace, or a folder it is in, from the model:
  // ".skeinignore:3". Empty: none does. A project's files only add to the user's own.
  std::string by(std::string_view below, EntryKind kind) const;
  // The same for a file of many names, if one of the others is ignored.
  std::string by_other_name(FileId id) const;
  // The pattern of secrets a file matches: "*.pem"; empty: none, or the user's file excludes it.
  std::string secret(std::string_view below) const;

  // Whether a file, named from where the project begins, is either.
  bool keeps(const std::string& from_project) const;

  // Whether a file with patterns has been met, so that there may be something to hide.
  bool has_patterns() const;

  // All that is ignored in the workspace, absolute: whole folders as such, links as their targets.
  struct Found {
    std::vector<std::string> places{};
    bool complete = true;  // false: there was too much to look through
  };
  Found find() const;

  const Settings& settings() const { return settings_; }
  // Every pattern that counts at the top, with where it is written: for people.
  std::vector<std::string> described() const;
  static std::string_view secrets();  // the patterns of those, with blanks between

 private:
  // A file of patterns as it was when last looked at; none: it is not there.
  struct PatternFile {
    FileId id{};
    std::int64_t size = -1, modified_ns = 0;
    std::optional<IgnoreFile> patterns{};
  };
  struct Level {
    std::chrono::steady_clock::time_point read{};
    std::map<std::size_t, PatternFile> files{};  // by the number of their name
    std::string verdict{};                       // why the folder itself is ignored
    bool any = false;                            // files, here or above
  };

  std::string whole(std::string_view below) const;  // as it is called from the project's root
  std::string secret_at(const std::string& path) const;
  std::string judge(const std::string& path, EntryKind kind) const;
  const Level& level(const std::string& folder) const;
  void read_own() const;
  static void read_file(PatternFile& file, const std::string& path, const std::string& shown,
                        std::string_view folder);
  void read_linked() const;
  void find_in(Fd folder, const std::string& below, Found& found, std::size_t& left) const;

  Settings settings_;
  std::string prefix_;  // the workspace, seen from the project; empty, or ends in a slash
  // For what follows. Recursive, since finding everything asks about each.
  mutable std::recursive_mutex reading_{};
  // Believed for a moment: a listing asks about thousands of paths.
  mutable std::map<std::string, Level, std::less<>> levels_{};
  mutable PatternFile own_{};
  mutable std::chrono::steady_clock::time_point own_read_{}, linked_read_{};
  mutable std::map<FileId, std::string> linked_{};  // ignored files of many names, and by what
};

}  // namespace skein::workspace
