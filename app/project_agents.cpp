// The part of ProjectFiles that is about sub-agents.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/project_files.h"
#include "core/text/amounts.h"

namespace skein::app {

using project::OwnFolder, project::Trust, subagents::Definition;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_agents = 500;  // of one folder

}  // namespace

std::vector<std::string> agent_files(const OwnFolder& folder, const project::Places& places) {
  std::vector<std::string> names, out;
  std::error_code failed;
  for (fs::directory_iterator at(folder.path, failed), end; !failed && at != end;
       at.increment(failed))
    if (at->path().extension() == ".md" && names.size() < most_agents)
      names.push_back(at->path().string());
  std::ranges::sort(names);
  for (const std::string& name : names)
    if (std::string path = project::followed(name, places, folder.of_project); !path.empty())
      out.push_back(std::move(path));
  return out;
}

std::vector<Definition> ProjectFiles::agents(std::vector<std::string>& remarks) {
  std::vector<Definition> out;
  std::size_t unknown = 0;
  const auto add = [&](Definition found) {
    const auto same = std::ranges::find(out, found.name, &Definition::name);
    if (same == out.end()) out.push_back(std::move(found));
  };
  for (const OwnFolder& folder : project::agent_folders(places_))
    for (const std::string& path : agent_files(folder, places_)) {
      std::optional<Definition> found = subagents::definition_from(project::read_markdown(path));
      if (!found) continue;  // a document
      if (!found->refusal.empty()) {
        remarks.push_back(path + ": " + found->refusal);
        continue;
      }
      const Trust known = folder.of_project ? trust().of(path, found->sha256) : Trust::given;
      unknown += known == Trust::unknown;
      if (known != Trust::given) continue;
      found->file = path;
      found->of_project = folder.of_project;
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
