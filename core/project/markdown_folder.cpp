#include "core/project/markdown_folder.h"

#include <algorithm>
#include <filesystem>

namespace skein::project {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_names = 5000;
constexpr int deepest_folder = 4;

class MarkdownWalk {
 public:
  MarkdownWalk(const OwnFolder& top, const Places& places) : top_(top), places_(places) {
    look(top.path, "", 0);
  }

  std::vector<FoundMarkdown> found{};

 private:
  void look(const std::string& folder, const std::string& below, int depth) {
    std::vector<fs::directory_entry> entries;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
      if (++names_ <= most_names) entries.push_back(*at);
    std::ranges::sort(entries, {}, [](const auto& entry) { return entry.path(); });
    for (const fs::directory_entry& entry : entries) {
      const std::string name = below + entry.path().filename().string();
      std::error_code ignored;
      if (entry.path().extension() == ".md" && entry.is_regular_file(ignored))
        add(entry.path().string(), name);
      else if (entry.symlink_status(ignored).type() == fs::file_type::directory &&
               depth < deepest_folder)
        look(entry.path().string(), name + "/", depth + 1);
    }
  }

  void add(const std::string& file, const std::string& below) {
    if (std::string path = followed(file, places_, top_.of_project); !path.empty())
      found.push_back({below, std::move(path)});
  }

  const OwnFolder& top_;
  const Places& places_;
  std::size_t names_ = 0;
};

}  // namespace

std::vector<FoundMarkdown> markdown_files(const OwnFolder& folder, const Places& places) {
  return MarkdownWalk(folder, places).found;
}

}  // namespace skein::project
