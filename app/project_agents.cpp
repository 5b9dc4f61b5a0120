// The part of ProjectFiles that is about sub-agents.
#include <algorithm>
#include <filesystem>

#include "app/project_files.h"
#include "core/text/amounts.h"

namespace skein::app {

using project::OwnFolder, subagents::Definition;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_agents = 500;  // of one folder

std::vector<std::string> markdown_files_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (at->path().extension() == ".md" && out.size() < most_agents)
      out.push_back(at->path().string());
  std::ranges::sort(out);
  return out;
}

}  // namespace

// What is not trusted is not read.
std::vector<Definition> ProjectFiles::agents(std::vector<std::string>& remarks) {
  std::vector<Definition> out;
  std::size_t unknown = 0;
  const auto add = [&](Definition found) {
    const auto same = std::ranges::find(out, found.name, &Definition::name);
    if (same == out.end()) out.push_back(std::move(found));
  };
  for (const OwnFolder& folder : project::agent_folders(places_))
    for (const std::string& file : markdown_files_in(folder.path)) {
      const std::string path = project::followed(file, places_, folder.of_project);
      if (path.empty()) continue;
      if (folder.of_project && !trust().knows(path)) {
        ++unknown;
        continue;
      }
      std::optional<Definition> found = subagents::definition_from(project::read_markdown(path));
      if (!found) continue;  // a document
      if (folder.of_project && trust().of(path, found->sha256) != project::Trust::given) {
        unknown += trust().of(path, found->sha256) == project::Trust::unknown;
        continue;
      }
      found->file = path;
      found->of_project = folder.of_project;
      if (!found->refusal.empty())
        remarks.push_back(path + ": " + found->refusal);
      else
        add(*std::move(found));
    }
  if (unknown > 0)
    remarks.push_back(counted(unknown, "agent of this project is", "agents of this project are") +
                      " not trusted, or not as it is now, and so not asked (`skein trust` shows " +
                      (unknown == 1 ? "it)" : "them)"));
  for (const Definition& each : subagents::built_in()) add(each);
  return out;
}

}  // namespace skein::app
