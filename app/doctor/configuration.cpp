// The files that set skein up: which there are, and everything in them that is not understood.
#include <filesystem>

#include "app/configured_hooks.h"
#include "app/doctor/checks.h"
#include "app/home.h"
#include "app/load_config.h"
#include "app/project_files.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::doctor {

Finding look_at_configuration(const Surroundings& here) {
  Finding found;
  std::vector<std::string> files;
  const std::string own = app::user_config_file();
  std::error_code ignored;
  if (std::filesystem::exists(own, ignored)) files.push_back(own);
  const std::string workspace = app::workspace_folder(here.invocation);
  if (const auto theirs = app::workspace_file(workspace)) files.push_back(theirs->path);

  found.problems = here.config.troubles;
  try {
    app::ProjectFiles project(app::places_around(workspace));
    app::configured_hooks(here.invocation, here.config, project);
  } catch (const Error& error) {
    found.problems.emplace_back(error.what());
  }
  found.details = here.config.notices;
  found.note = !files.empty() ? listed(files)
               : own.empty()  ? "no file, and no place for one: HOME is not set to an absolute path"
                              : "no file; " + own + " would be one";
  if (!files.empty() && found.problems.empty()) found.note += ", understood";
  if (!found.details.empty()) found.note += ", parts of it passed over (--verbose says which)";
  found.facts = dump({{"files", files}, {"passed_over", here.config.notices}});
  return found;
}

}  // namespace skein::doctor
