// Which files the text of a program in Python or JavaScript names. It is searched for words, not
// understood: what a program loads or starts in other ways is not found.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein::project {

struct NamedFiles {
  std::vector<std::string> modules{};   // what it imports, where that would be
  std::vector<std::string> packages{};  // what it imports from wherever packages are installed
  std::vector<std::string> quoted{};    // whatever is in quotes and could be the path of a program
};
// Of a file in `folder`, in a program that looks for modules in `top`.
NamedFiles python_names(std::string_view text, const std::string& folder, const std::string& top);
NamedFiles node_names(std::string_view text, const std::string& folder);

// Where the module "a.b" would be, and those that are loaded with it.
std::vector<std::string> python_module(std::string_view name, const std::string& top);

}  // namespace skein::project
