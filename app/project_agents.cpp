// The part of ProjectFiles that is about sub-agents.
#include <algorithm>
#include <utility>

#include "app/project_files.h"
#include "core/project/markdown_folder.h"
#include "core/text/amounts.h"
#include "core/text/text.h"

namespace skein::app {

using project::OwnFolder, project::Trust, subagents::Definition;

std::vector<Definition> ProjectFiles::agents(std::vector<std::string>& remarks) {
  std::vector<Definition> out;
  std::vector<std::string> with_hooks;
  std::size_t unknown = 0;
  const auto add = [&](Definition found) {
    const auto same = std::ranges::find(out, found.name, &Definition::name);
    if (same == out.end()) out.push_back(std::move(found));
  };
  for (const OwnFolder& folder : project::agent_folders(places_))
    for (const auto& [below, path] : project::markdown_files(folder, places_)) {
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
      if (found->has_hooks) with_hooks.push_back(found->name);
      add(*std::move(found));
    }
  if (unknown > 0)
    remarks.push_back(counted(unknown, "agent of this project is", "agents of this project are") +
                      " not trusted, or not as it is now, and so not asked (`skein trust` shows " +
                      (unknown == 1 ? "it)" : "them)"));
  if (!with_hooks.empty())
    remarks.push_back("hooks in the front matter of agents do not run (" + listed(with_hooks) +
                      "); set hooks in the configuration");
  for (const Definition& each : subagents::built_in()) add(each);
  return out;
}

}  // namespace skein::app
