// Markdown files that another person may have written: how one is read (whole or not at all, at
// most a megabyte, never a device or a pipe), how those of a folder are found, and what a file says
// about itself, in the YAML between two `---` lines at its beginning. Skills, commands, agents and
// rules of several programs begin so. Only the part of YAML that skein uses is read: values, lists,
// one level of maps.
#pragma once

#include "core/text/std.h"

#include "core/project/places.h"

namespace skein::project {

inline constexpr std::size_t front_matter_limit = 64u << 10;
inline constexpr std::size_t markdown_limit = 1u << 20;  // of a whole file

using StringMap = std::vector<std::pair<std::string, std::string>>;

struct FrontMatter {
  struct Field {
    std::string name;
    std::variant<std::string, std::vector<std::string>, StringMap> value;
  };
  // Why nothing of it counts.
  struct Fault {
    std::size_t line;  // in the file, from 1
    std::string reason;
  };

  std::vector<Field> fields{};
  std::size_t body = 0;  // where in the file what follows begins; 0: there is no front matter
  std::optional<Fault> fault{};

  const Field* find(std::string_view name) const;
  // A value as it is, a list with commas between; empty if it is neither or missing.
  std::string text(std::string_view name) const;
  // A list, or a value divided at any of `separators` outside of brackets.
  std::vector<std::string> list(std::string_view name, std::string_view separators = ",") const;
  StringMap map(std::string_view name) const;
  // true, yes, on, 1 and their opposites in any case; nothing if it is missing or something else.
  std::optional<bool> flag(std::string_view name) const;
};

// Never throws, whatever the file holds. Where YAML refuses a plain value that a person would
// understand (`description: a: b`, `argument-hint: [x] [y]`), the value is taken whole to the end
// of its line. Anchors, tags and further documents are faults. So is deeper nesting in a field that
// skein uses; other fields are there without their value.
FrontMatter read_front_matter(std::string_view file);

struct MarkdownFile {
  std::string text{};
  FrontMatter front{};
  std::string refusal{};  // why there is nothing; with the line, if it is about one

  std::string_view body() const { return std::string_view(text).substr(front.body); }
  // Its first paragraph of words in one line: headings, fences and comments are none.
  std::string first_paragraph() const;
};

std::string in_one_line(std::string_view text);

MarkdownFile read_markdown(const std::string& path);

// A Markdown file in a folder of commands or agents, or in the folders below it.
struct FoundMarkdown {
  std::string below;  // its name in the folder: "git/commit.md"
  std::string path;   // where it really is
};

// Sorted by name. Links to files are followed as `followed` allows, links to folders are not; what
// is deeper than four folders or after the first 5,000 names is left out.
std::vector<FoundMarkdown> markdown_files(const OwnFolder& folder, const Places& places);

}  // namespace skein::project
