#include "app/trust_items.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/project/executed_files.h"
#include "core/project/markdown_folder.h"
#include "core/text/io.h"
#include "core/text/sha256.h"
#include "core/text/text.h"

namespace skein::app {

using project::MarkdownFile, project::OwnFolder;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_program_bytes = 64u << 20;

class Finder {
 public:
  explicit Finder(ProjectFiles& files) : files_(files) {}

  void add(std::string kind, const std::string& path, std::string what, std::string sha256) {
    if (sha256.empty() || !seen_.insert(path).second) return;
    const Trust known = files_.trust().of(path, sha256);
    found_.items.push_back({std::move(kind), path, std::move(what), std::move(sha256), known});
  }

  void add_executed(const MarkdownFile& file) {
    for (const std::string& path : project::executed_files(file, files_.places()).files)
      add("file that a command runs", path, "", hash_of_program(path));
  }

  void add_skills(const project::SkillLimits& look) {
    std::vector<OwnFolder> folders = project::skill_folders(files_.places());
    std::erase_if(folders, [](const OwnFolder& folder) { return !folder.of_project; });
    const project::SkillPlaces places = project::find_skills(folders, files_.places(), look);
    found_.cut = found_.cut || places.cut;
    for (const project::SkillPlace& place : places.found) {
      const std::string path = place.folder + "/" + std::string(project::skill_file);
      const MarkdownFile file = project::read_markdown(path);
      const project::Skill skill =
          project::skill_from(file, fs::path(place.folder).filename().string());
      if (!skill.refusal.empty()) continue;
      add("skill", path, skill.name + ": " + skill.description, skill.sha256);
      add_executed(file);
    }
  }

  void add_commands() {
    for (const project::CommandFile& command : project::find_commands(files_.places())) {
      if (!command.of_project) continue;
      const MarkdownFile file = project::read_markdown(command.path);
      if (!file.refusal.empty()) continue;
      add("command", command.path, "/" + command.name + ": " + project::words_of(file).description,
          sha256_hex(file.text));
      add_executed(file);
    }
  }

  // A document in their folder is no agent.
  void add_agents() {
    for (const OwnFolder& folder : project::agent_folders(files_.places())) {
      if (!folder.of_project) continue;
      for (const auto& [below, path] : project::markdown_files(folder, files_.places()))
        if (const auto agent = subagents::definition_from(project::read_markdown(path));
            agent && agent->refusal.empty())
          add("agent", path, agent->name + ": " + agent->description, agent->sha256);
    }
  }

  // What other parts of skein ask about by its path.
  void add_servers() {
    for (const std::string& level : files_.places().levels)
      add_file("MCP servers", level + "/.mcp.json",
               "its servers start with skein, as you and outside of the sandbox");
  }

  FoundItems result() { return std::move(found_); }

 private:
  void add_file(const char* kind, const std::string& path, const char* what = "") {
    const std::string real = project::followed(path, files_.places());
    if (!real.empty() && real.starts_with(files_.places().root() + "/"))
      add(kind, real, what, hash_of_program(real));
  }

  ProjectFiles& files_;
  FoundItems found_{};
  std::set<std::string> seen_{};
};

}  // namespace

std::string hash_of_program(const std::string& path) {
  const Fd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  const auto bytes = fd ? read_all(fd.get(), most_program_bytes) : std::nullopt;
  return bytes ? sha256_hex(*bytes) : "";
}

FoundItems instructions_to_trust(ProjectFiles& files, const project::SkillLimits& look) {
  Finder finder(files);
  finder.add_skills(look);
  finder.add_agents();
  return finder.result();
}

FoundItems all_to_trust(ProjectFiles& files) {
  Finder finder(files);
  finder.add_skills({});
  finder.add_commands();
  finder.add_agents();
  finder.add_servers();
  return finder.result();
}

std::vector<TrustItem> executed_items(ProjectFiles& files, const MarkdownFile& file) {
  Finder finder(files);
  finder.add_executed(file);
  return finder.result().items;
}

}  // namespace skein::app
