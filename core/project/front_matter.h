// What a Markdown file says about itself: the YAML between two `---` lines at its beginning.
// Skills, commands, agents and rules of several programs begin so. Only the part of YAML that skein
// uses is read: values, lists, one level of maps.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace skein::project {

inline constexpr std::size_t front_matter_limit = 64u << 10;
inline constexpr std::size_t markdown_limit = 1u << 20;  // of a whole file

using StringMap = std::vector<std::pair<std::string, std::string>>;

struct FrontMatter {
  struct Field {
    std::string name;
    std::variant<std::string, std::vector<std::string>, StringMap> value;
    std::size_t line;  // in the file, from 1
  };
  // Why nothing of it counts.
  struct Fault {
    std::size_t line;
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

}  // namespace skein::project
