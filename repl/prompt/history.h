// What was typed before: the history of lines, and the unsent text of each session.
#pragma once

#include "core/text/base.h"
#include "repl/edit/line_edit.h"

namespace skein::prompt {

// Unsent text, one file per session: it survives a crash and is back when the session is opened.
class Drafts {
 public:
  // The folder need not exist. Without a name nothing is kept.
  explicit Drafts(std::string folder = {}) : folder_(std::move(folder)) {}

  // An empty draft removes the file. Never throws: a failed write costs a draft, not the session.
  void keep(Id session, const edit::Draft& draft) const;
  edit::Draft load(Id session) const;

 private:
  std::string folder_;
};

// The lines typed before, oldest first: an append-only file that several processes may write to at
// the same time, one line per entry (a newline in it is `\n`, a backslash `\\`).
class History {
 public:
  // Opens nothing yet. Without a file name, lines are remembered only until the program ends.
  explicit History(std::string file = {}) : file_(std::move(file)) {}

  // Ignores lines that are blank, begin with a space or repeat the last one.
  void add(std::string_view line);
  // Includes lines added by other processes; of a long file only the end.
  const std::vector<std::string>& lines();

  // The nearest different line before (after) `from` that begins with `start`, as an index.
  std::optional<std::size_t> before(std::size_t from, std::string_view start);
  std::optional<std::size_t> after(std::size_t from, std::string_view start);
  // The rest of the newest line that begins with `start`; empty if there is none.
  std::string rest_of(std::string_view start);

 private:
  void read_on();
  bool write_down(const std::string& line) const;

  std::string file_;
  std::vector<std::string> lines_{};
  std::uint64_t read_to_ = 0;
};

}  // namespace skein::prompt
