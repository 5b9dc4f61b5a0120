// What the model is kept from: paths that .skeinignore and its siblings name, in the project and in
// the user's own file; and files that look like secrets, about which the user is asked.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tools/workspace/file_id.h"
#include "core/tools/workspace/ignore.h"

namespace skein::tools::workspace {

// Its const functions may be called from several threads.
class Withheld {
 public:
  struct Settings {
    std::string workspace{};           // absolute, after links
    std::string project{};             // the folder it is part of, or the workspace itself
    std::string own_file{};            // the user's; empty: none
    std::vector<std::string> names{};  // of the files in folders, each a list of its own
  };
  explicit Withheld(Settings settings);

  // Which line keeps this path of the workspace, or a folder it is in, from the model:
  // ".skeinignore:3". Empty: none does. A project's files only add to the user's own.
  std::string by(std::string_view below, EntryKind kind) const;
  // The same for a file of many names, if one of the others is withheld.
  std::string by_other_name(FileId id) const;
  // The pattern by which a file looks like a secret: "*.pem"; empty: none, or the user's own file
  // says that it is none.
  std::string secret(std::string_view below) const;

  // Whether a file, named from where the project begins, is either.
  bool keeps(const std::string& from_project) const;

  // Whether a file with patterns has been met, so that there may be something to hide.
  bool has_patterns() const;

  // Everything in the workspace that is withheld now, absolute: folders as such, not what is in
  // them. A link stands for what it leads to, if that is inside.
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
  // The patterns of one file, ready to be tried on many paths.
  class Patterns {
   public:
    Patterns(std::string shown, std::string_view folder, std::string_view text);
    // The last one that speaks of a path, which begins where the project does.
    const IgnoreFile::Pattern* last_for(std::string_view path, EntryKind kind) const;
    std::string place_of(const IgnoreFile::Pattern& pattern) const;
    const IgnoreFile& file() const { return file_; }

   private:
    std::string shown_;
    IgnoreFile file_;
    // Most are plain names; the others have to be tried one by one.
    std::map<std::string, std::vector<std::size_t>, std::less<>> plain_{};
    std::map<char, std::vector<std::size_t>> wild_{};  // by the last letter; '*': any
  };
  // A file of patterns as it was when last looked at; none: it is not there.
  struct PatternFile {
    FileId id{};
    std::int64_t size = -1, modified_ns = 0;
    std::optional<Patterns> patterns{};
  };
  struct Level {
    std::chrono::steady_clock::time_point read{};
    std::map<std::size_t, PatternFile> files{};  // by the number of their name
    std::string verdict{};                       // why the folder itself is withheld
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
  void find_in(int folder, const std::string& below, Found& found, std::size_t& left) const;

  Settings settings_;
  std::string prefix_;  // the workspace, seen from the project; empty, or ends in a slash
  // For what follows. Recursive, since finding everything asks about each.
  mutable std::recursive_mutex reading_{};
  // Believed for a moment: a listing asks about thousands of paths.
  mutable std::map<std::string, Level, std::less<>> levels_{};
  mutable PatternFile own_{};
  mutable std::chrono::steady_clock::time_point own_read_{}, linked_read_{};
  mutable std::map<FileId, std::string> linked_{};  // withheld files of many names, and by what
};

}  // namespace skein::tools::workspace
