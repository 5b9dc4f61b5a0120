// Commands that only read, and only in the workspace: such a line need not be asked about where
// there is a sandbox. A short list of programs and of their options; whatever is not on it counts
// as more than reading.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/located.h"
#include "core/model/survey.h"
#include "core/permission/reading_programs.h"
#include "core/permission/shell_words.h"

namespace skein::permission {

// What must be known of the place they run in. References: valid as long as the tool is.
struct ReadingPlace {
  const model::Locate& locate;
  const model::Survey& survey;
  // Whether a rule forbids reading a path, or may.
  std::function<bool(const std::string& path)> forbidden;
  bool some_forbidden = false;  // there is a rule that forbids reading something
};

// Judges the commands of one line, one after the other in their order: `cd` moves those behind it.
class ReadOnlyLine {
 public:
  explicit ReadOnlyLine(ReadingPlace place) : place_(std::move(place)) {}

  // Whether the next command of the line only reads.
  bool next(const SimpleCommand& command, const CommandSetting& setting);

 private:
  bool moves(const SimpleCommand& command);
  bool only_reads(const SimpleCommand& command, const CommandSetting& setting) const;
  bool stays_inside(const ShellWord& word, const Reading& reading) const;
  bool is_secret(std::string_view path) const;
  bool may_be_read(const std::string& path, bool contents) const;
  bool may_be_searched(const std::vector<std::string>& operands, bool all) const;
  bool is_plain_repository(bool contents) const;

  ReadingPlace place_;
  std::vector<std::string> folders_{"."};  // where the command may find itself
  bool lost_ = false;  // a command before it may have changed what the words mean
};

}  // namespace skein::permission
