// What a command may read: where it may be when it runs, and what it would come across there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/located.h"
#include "core/model/survey.h"
#include "core/permission/reading_programs.h"
#include "core/permission/shell_words.h"

namespace skein::permission {

class ReadingPlace {
 public:
  struct Facts {
    const model::Locate& locate;  // valid as long as the tool is
    const model::Survey& survey;
    // Whether a rule forbids reading a path, or may.
    std::function<bool(const std::string& path)> forbidden;
    bool some_forbidden = false;  // there is a rule that forbids reading something
  };
  explicit ReadingPlace(Facts facts);

  bool is_known() const;                           // otherwise nothing can be said of a command
  const std::string& top() const { return top_; }  // the workspace
  // The folders in which the next command may be. False: one of them is outside.
  bool move(std::vector<std::string> folders);

  bool is_installed(const std::string& program) const { return facts_.survey.installed(program); }
  // The command with the files that its patterns find now. Nullopt: they cannot be told, or one of
  // them is outside.
  std::optional<SimpleCommand> with_files(const SimpleCommand& command) const;
  // One without patterns.
  bool may_run(const SimpleCommand& command, const Reading& reading) const;
  bool may_be_read(const std::string& path, bool contents) const;
  bool may_be_searched(const std::vector<std::string>& operands, bool all) const;
  // The files that a pattern finds now, as the command would name them. Nullopt: too many, or it
  // cannot be told.
  std::optional<std::vector<std::string>> found(const ShellWord& pattern) const;

 private:
  bool stays_inside(const ShellWord& word, const Reading& reading) const;
  bool is_secret(std::string_view path) const;
  bool is_plain_repository(bool contents) const;

  Facts facts_;
  std::string top_;
  std::vector<std::string> folders_{};
};

}  // namespace skein::permission
