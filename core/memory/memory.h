// The notes that count in a project: those for every project, and its own. Clones and worktrees of
// one repository share them.
#pragma once

#include "core/text/base.h"

namespace skein::memory {

// What is to be remembered between sessions: a Markdown file of one line each, which people edit by
// hand. A line says at its end, in a comment, where and when it was said; the model does not see
// it.
struct Note {
  std::string text{};
  std::string session{}, entry{};  // where it was said, as ids; empty: written by hand
  std::string date{};              // 2026-11-15
  bool operator==(const Note&) const = default;
};

// The notes in a file's text; headings and other lines are none.
std::vector<Note> notes_in(std::string_view text);
// The line that keeps a note: one line, whatever the text holds. Empty: it holds nothing.
std::string line_of(const Note& note);

// What the model sees of a file: the first lines, without comments, cut with a mark.
inline constexpr std::size_t most_lines = 200, most_bytes = 16u << 10;
std::string told_of(std::string_view text);

class NoteFile {
 public:
  // Without a name there is nothing to remember, and no place for it.
  explicit NoteFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // Empty: there is none, or it cannot be read.
  std::string text() const;
  // Appends a note and returns its line. Throws Error (storage) if it cannot be written.
  std::string add(const Note& note) const;

 private:
  std::string path_;
};

enum class Scope { everywhere, project };

class Memory {
 public:
  // `folder`: where notes are kept; empty: nothing is. `project`: see project::project_id.
  Memory(const std::string& folder, const std::string& project);

  const NoteFile& file(Scope scope) const { return files_[static_cast<std::size_t>(scope)]; }

  struct Numbered {
    Scope scope;
    Note note;
  };
  std::vector<Numbered> notes() const;  // those for every project first, as people count them

  // What a model sees, as it was when last looked at; empty: nothing.
  const std::string& told(Scope scope) const { return told_[static_cast<std::size_t>(scope)]; }
  bool refresh();  // looks again; true: it is different now

 private:
  std::array<NoteFile, 2> files_;  // in the order of Scope
  std::array<std::string, 2> told_{};
};

}  // namespace skein::memory
