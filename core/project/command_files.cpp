#include "core/project/command_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_commands = 1000, most_names = 5000;  // of one folder
constexpr int deepest_namespace = 4;

bool is_name_part(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

// One folder of commands, looked through without following links to folders.
class CommandWalk {
 public:
  CommandWalk(const OwnFolder& top, const Places& places, std::vector<CommandFile>& out)
      : top_(top), places_(places), out_(out) {
    look(top.path, "", 0);
  }

 private:
  void look(const std::string& folder, const std::string& prefix, int depth) {
    std::vector<fs::directory_entry> entries;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
      if (++names_ <= most_names) entries.push_back(*at);
    std::ranges::sort(entries, {}, [](const auto& entry) { return entry.path(); });
    for (const fs::directory_entry& entry : entries) {
      std::error_code ignored;
      const std::string stem = entry.path().stem().string();
      if (entry.path().extension() == ".md" && is_name_part(stem))
        add(entry, prefix + stem);
      else if (entry.symlink_status(ignored).type() == fs::file_type::directory &&
               depth < deepest_namespace && is_name_part(entry.path().filename().string()))
        look(entry.path().string(), prefix + entry.path().filename().string() + ":", depth + 1);
    }
  }

  void add(const fs::directory_entry& entry, std::string name) {
    std::error_code failed;
    if (found_ == most_commands || !entry.is_regular_file(failed)) return;
    std::string path = followed(entry.path().string(), places_, top_.of_project);
    if (path.empty()) return;
    ++found_;
    out_.push_back({std::move(name), std::move(path), top_.of_project});
  }

  const OwnFolder& top_;
  const Places& places_;
  std::vector<CommandFile>& out_;
  std::size_t found_ = 0, names_ = 0;
};

}  // namespace

std::vector<CommandFile> find_commands(const Places& places) {
  std::vector<CommandFile> out;
  for (const OwnFolder& folder : command_folders(places)) CommandWalk(folder, places, out);
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
