#include "core/project/command_files.h"

#include <algorithm>
#include <string_view>

#include "core/project/markdown_folder.h"
#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

bool is_name_part(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

// "git/commit.md" is "git:commit"; empty: a part of it cannot be typed as a command.
std::string command_name(std::string_view below) {
  below.remove_suffix(std::string_view(".md").size());
  std::string name;
  for (const std::string_view part : split(below, '/')) {
    if (!is_name_part(part)) return {};
    name.append(name.empty() ? "" : ":").append(part);
  }
  return name;
}

}  // namespace

std::vector<CommandFile> find_commands(const Places& places) {
  std::vector<CommandFile> out;
  for (const OwnFolder& folder : command_folders(places))
    for (FoundMarkdown& file : markdown_files(folder, places))
      if (std::string name = command_name(file.below); !name.empty())
        out.push_back({std::move(name), std::move(file.path), folder.of_project});
  return out;
}

CommandWords words_of(const MarkdownFile& file) {
  CommandWords words{in_one_line(file.front.text("description")),
                     in_one_line(file.front.text("argument-hint"))};
  if (words.description.empty()) words.description = file.first_paragraph();
  // YAML takes `[file]` for a list of one.
  const FrontMatter::Field* hint = file.front.find("argument-hint");
  if (hint != nullptr && hint->value.index() == 1) words.hint = "[" + words.hint + "]";
  constexpr std::size_t shown = 300;
  words.description = std::string(utf8_prefix(words.description, shown));
  words.hint = std::string(utf8_prefix(words.hint, shown));
  return words;
}

}  // namespace skein::project
