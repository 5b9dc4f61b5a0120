#include "app/project_files.h"

#include <algorithm>
#include <utility>

#include "app/home.h"
#include "app/load_config.h"
#include "app/trust.h"
#include "app/trust_items.h"
#include "core/text/sha256.h"
#include "core/text/text.h"

namespace skein::app {

using project::CommandFile, project::MarkdownFile, project::OwnCommand, project::RenderedCommand;

namespace {

constexpr std::size_t shown_bytes = 8u << 10;

}  // namespace

project::Places places_around(const std::string& workspace) {
  return project::places_of(workspace, user_home(), config_folder());
}

ProjectFiles::ProjectFiles(project::Places places, Skills skills)
    : places_(std::move(places)),
      skills_(places_, [this]() -> project::TrustRecord& { return trust(); }) {
  if (skills == Skills::load) skills_.load();
}

project::TrustRecord& ProjectFiles::trust() {
  if (!trust_) trust_.emplace(trust_folder(), places_.root());
  return *trust_;
}

std::vector<OwnCommand> ProjectFiles::commands() {
  std::vector<OwnCommand> out;
  for (const project::LoadedSkill& each : skills_.all())
    if (each.skill.for_user)
      out.push_back({.name = each.skill.name,
                     .path = each.file(),
                     .of_project = each.of_project,
                     .skill_folder = each.folder});
  for (CommandFile& file : project::find_commands(places_)) {
    // By its name alone: whether it still is what was trusted is seen when it is used.
    const bool trusted = !file.of_project || trust().knows(file.path);
    out.push_back({.name = std::move(file.name),
                   .path = std::move(file.path),
                   .of_project = file.of_project,
                   .trusted = trusted});
  }
  return out;
}

bool ProjectFiles::is_trusted(const OwnCommand& command, const MarkdownFile& file,
                              const Confirm& confirm) {
  if (!command.of_project) return true;
  const std::string sha256 = sha256_hex(file.text);
  const Trust known = trust().of(command.path, sha256);
  if (known == Trust::refused) return false;
  const std::vector<TrustItem> programs = executed_items(*this, file);
  const auto is_given = [](const TrustItem& each) { return each.trust == Trust::given; };
  if (known == Trust::given && std::ranges::all_of(programs, is_given)) return true;
  if (!confirm || !project::needs_trust(file) || file.text.size() > shown_bytes) return false;
  std::string question =
      command.path + " came with this project, and wants to run commands or to allow tools:\n\n" +
      file.text + "\n";
  for (const TrustItem& each : programs)
    if (!is_given(each)) question += "It runs " + each.path + ", which you should read first.\n";
  const Trust answer =
      confirm(question + "Trust it, as it is now?") ? Trust::given : Trust::refused;
  trust().set(command.path, sha256, answer);
  if (answer == Trust::given)
    for (const TrustItem& each : programs) trust().set(each.path, each.sha256, answer);
  trust().save();
  return answer == Trust::given;
}

std::optional<RenderedCommand> ProjectFiles::render(std::string_view name,
                                                    std::string_view arguments,
                                                    const project::RenderPorts& ports,
                                                    const Confirm& confirm) {
  std::optional<OwnCommand> command = project::find_own(commands(), name);
  if (!command) return std::nullopt;
  const MarkdownFile file = project::read_markdown(command->path);
  if (file.refusal.empty()) command->trusted = is_trusted(*command, file, confirm);
  command->name = name;  // as it was typed
  project::RenderPorts with_project = ports;
  with_project.project_folder = places_.root();
  return project::render(*command, file, arguments, with_project);
}

}  // namespace skein::app
