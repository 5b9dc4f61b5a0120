// What the prompt's commands may ask of an Application.

#include "app/application.h"
#include "app/manual/pages.h"
#include "app/setup/home.h"
#include "core/text/log.h"

namespace skein::app {

session::ProgramFacts Application::facts() const {
  const std::string home = invocation_.no_session ? "in memory only" : home_shown(invocation_);
  const std::string own = user_config_file(), theirs = workspace_config_file(workspace());
  session::ProgramFacts facts{.version = "skein " SKEIN_VERSION, .home = home, .log = log_file()};
  std::error_code ignored;
  for (const std::string& file : {own, theirs})
    if (std::filesystem::is_regular_file(file, ignored)) facts.settings.push_back(file);
  char part[32];
  std::snprintf(part, sizeof part, "%g", config_.compact_at);
  facts.configuration =
      "configuration  " + (own.empty() ? "none" : own) + "\nworkspace      " + theirs +
      "\nsessions       " + home + "\nmodel          " + models_.first_name() +
      "\nthinking       " + (config_.thinking.empty() ? "off" : config_.thinking) +
      "\ncalls per turn " + std::to_string(config_.max_turns) + " at most\nsummarize at   " + part +
      " of the window (0: only with /compact)\n";
  facts.sandbox = sandbox::describe(sandbox()) + "\nnetwork  " +
                  sandbox::describe_network(sandbox(), config_.sandbox_network) + "\nlimits   " +
                  sandbox::describe(config_.command_limits());
  return facts;
}

std::vector<std::string> Application::topics() const {
  std::vector<std::string> out;
  for (const manual::Page& page : manual::pages()) out.emplace_back(page.name);
  return out;
}

std::string Application::guide(std::string_view topic) const {
  const manual::Page* const page = manual::find_page(topic);
  return page != nullptr ? manual::flowing(manual::markdown(*page, manual::LinkForm::terminal))
                         : "";
}

session::Services Application::services() {
  using Follow = session::Services::FilesFollow;
  session::Services out{.tools = &tools_,
                        .jobs = jobs_.jobs().get(),
                        .can_keep_jobs = jobs_.can_be_kept(),
                        .servers = servers_.hub(),
                        .agents = crew_.get(),
                        .memory = &briefing_.memory(),
                        .folders = &folders_,
                        .ignored = ignored_,
                        .grants = &grants_,
                        .rules_here = &rules_here_,
                        .models = &models_,
                        .program = this,
                        .files_follow = config_.files_follow == "always"  ? Follow::always
                                        : config_.files_follow == "never" ? Follow::never
                                                                          : Follow::ask};
  if (invocation_.no_session) return out;
  out.checkpoints = &file_keeper_;
  // Of a home in a database only those on this machine know.
  if (auto home = store::files::files_beneath(home_folder(invocation_)))
    out.home = *std::move(home);
  return out;
}

}  // namespace skein::app
