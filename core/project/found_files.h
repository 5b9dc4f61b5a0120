// Collects what a command runs of a project while the command is read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/executed_files.h"
#include "core/project/places.h"

namespace skein::project {

std::string folder_of(const std::string& path);
std::string plain_path(const std::string& path);  // without "." and ".."

bool is_program(const std::string& path);  // by its name, or because it may be run
// Empty: it is machine code. None: it cannot be read, or is too long.
std::optional<std::string> script_text(const std::string& path);

class FoundFiles {
 public:
  // `author` is who wrote the command; `places` must outlive this.
  FoundFiles(const Places& places, Author author);

  const Places& places() const { return places_; }
  bool is_inside(const std::string& path) const;  // of the project, by its name alone

  // Its real place, if it is a file of the project.
  std::optional<std::string> add(const std::string& path);
  void add_folder(const std::string& path);  // see ExecutedFiles::names
  // The files that match a pattern now; `folder` is where a relative one begins.
  std::vector<std::string> add_matches(const std::string& folder, const std::string& pattern);
  // Something in the command, or in the script that is being read.
  void cannot_follow(std::string_view what);

  // The script that is being read; empty: the command. Returns the one before.
  std::string read_from(std::string script);
  const std::string& script() const { return script_; }

  ExecutedFiles result();

 private:
  const Places& places_;
  std::vector<std::string> own_{};  // folders of the user's own, in a project that is their home
  std::string script_{};
  ExecutedFiles found_{};
};

}  // namespace skein::project
