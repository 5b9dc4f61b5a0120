// What the project and its user bring along: commands and skills, and which of the project's the
// user trusts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/project_skills.h"
#include "core/project/own_commands.h"
#include "core/project/places.h"
#include "core/project/trust_record.h"
#include "core/subagents/definition.h"

namespace skein::app {

// Where they are looked for, from a workspace on. It takes a look at every folder above: found
// once, it is handed on.
project::Places places_around(const std::string& workspace);

class ProjectFiles {
 public:
  enum class Skills { load, do_not };
  explicit ProjectFiles(project::Places places, Skills skills = Skills::do_not);

  const project::Places& places() const { return places_; }
  // Looks at the folders anew each time: there is nothing to reload.
  std::vector<project::OwnCommand> commands();

  // Shows a file that wants to run something and asks whether it may. Left out: nobody is there.
  using Confirm = std::function<bool(const std::string& question)>;
  // The message a command becomes; nullopt: there is none of that name. Throws Error if nothing is
  // to be sent.
  std::optional<project::RenderedCommand> render(std::string_view name, std::string_view arguments,
                                                 const project::RenderPorts& ports,
                                                 const Confirm& confirm);

  ProjectSkills& skills() { return skills_; }
  const ProjectSkills& skills() const { return skills_; }

  // Those that can be asked, the built-in ones last; looks at the folders anew each time. What is
  // wrong with others is added to `remarks`.
  std::vector<subagents::Definition> agents(std::vector<std::string>& remarks);

  project::TrustRecord& trust();  // read when first asked

 private:
  bool is_trusted(const project::OwnCommand& command, const project::MarkdownFile& file,
                  const Confirm& confirm);

  project::Places places_;
  std::optional<project::TrustRecord> trust_{};
  ProjectSkills skills_;
};

}  // namespace skein::app
