// What of a project its user has seen and trusted: file by file, each with the content it had then.
// A file that has changed since is unknown again, and no other.
#pragma once

#include "core/text/std.h"

namespace skein::project {

enum class Trust { unknown, given, refused };

class TrustRecord {
 public:
  // `folder` is where records are kept, where no tool can write; empty: nothing is ever trusted.
  // What cannot be read counts as nothing.
  TrustRecord(std::string folder, std::string root);

  // `path` is absolute; `sha256` of all that is trusted with it.
  Trust of(const std::string& path, std::string_view sha256) const;
  bool knows(const std::string& path) const { return files_.contains(path); }
  bool is_empty() const { return files_.empty(); }
  std::vector<std::string> paths() const;  // of what is trusted, changed since or not

  void clear() { files_.clear(); }
  void set(const std::string& path, std::string sha256, Trust trust);
  // Throws Error (storage) if it cannot be written. A record of nothing is no file.
  void save() const;

  // The roots of all the projects with a record in `folder`.
  static std::vector<std::string> roots(const std::string& folder);

 private:
  struct File {
    std::string sha256;
    Trust trust;
  };

  std::string file_{};  // empty: there is no place for it
  std::string root_;
  std::map<std::string, File> files_{};
};

}  // namespace skein::project
