#include "app/greeting.h"

#include "app/setup/home.h"
#include "core/project/project_root.h"
#include "core/text/text.h"
#include "repl/layout/width.h"

namespace skein::app {

namespace {

namespace style = layout::style;
using layout::painted;

constexpr const char* first_tip =
    "Type a message, / for commands, @ for files, ! for the shell, ? for keys.";
constexpr const char* tips[] = {
    "Esc Esc on an empty line goes back to an earlier message, files included.",
    "Shift+Tab changes the permission mode: ask, accept edits, plan, or ask nothing.",
    "@file adds a file to your message, @agent gives the task to a sub-agent.",
    "!command runs a command; the model sees its output.",
    "/search finds text in all your sessions.",
    "While the model works, Enter queues your next message and Alt+Enter sends it at once.",
    "/branch continues from an earlier message; /tree shows the branches.",
    "/model switches to another model in the middle of a conversation.",
    "skein blame FILE:LINE shows the message that wrote a line.",
    "skein -c continues the last session in this folder.",
    "/help files shows a page of the guide; skein help lists all pages."};

// Another one each day, once there was a first time.
std::string tip(const Invocation& invocation) {
  struct stat history {};
  if (stat(history_file(invocation).c_str(), &history) != 0) return first_tip;
  const auto day = static_cast<std::size_t>(now_ms() / day_ms);
  return std::string("Tip: ") + tips[day % std::size(tips)];
}

// "AGENTS.md, docs/AGENTS.md (3.4k bytes)"; empty: there are none.
std::string instructions_of(const Application& application) {
  std::vector<std::string> names;
  std::size_t bytes = 0;
  for (const instructions::Document& each : application.documents()) {
    bytes += each.text.size();
    if (names.size() < 3) names.push_back(each.shown);
  }
  const std::size_t more = application.documents().size() - names.size();
  if (more > 0) names.push_back(std::to_string(more) + " more");
  return names.empty()
             ? ""
             : listed(names) + " (" + short_count(static_cast<std::int64_t>(bytes)) + " bytes)";
}

std::string fitted(const std::string& untrusted, const screen::Screen& screen) {
  return layout::wrapped(layout::sanitized_row(untrusted), screen.width());
}

std::string dim_line(const std::string& untrusted, const screen::Screen& screen) {
  return painted(fitted(untrusted, screen), style::dim, screen.look()) + "\n";
}

}  // namespace

std::string title(const std::string& workspace, const screen::Screen& screen) {
  const std::string branch = project::git_branch(workspace);
  const std::string name = "skein " SKEIN_VERSION;
  const std::string line = fitted(name + " · " + layout::short_folder(workspace) +
                                      (branch.empty() ? "" : " (git: " + branch + ")"),
                                  screen);
  return painted(name, style::prompt | style::strong, screen.look()) +
         painted(line.substr(name.size()), style::dim, screen.look()) + "\n";
}

std::string greeting(const Application& application, const Invocation& invocation,
                     const screen::Screen& screen, bool titled) {
  std::string out = titled ? "" : title(application.workspace(), screen);
  if (const std::string read = instructions_of(application); !read.empty())
    out += dim_line(read, screen);
  if (application.config().model.empty() &&
      application.models().default_name() == application.models().built_in_name()) {
    out += painted("No API key was found.", style::warning, screen.look()) + "\n" +
           fitted("/login PROVIDER stores one; until then, the built-in offline/demo answers.",
                  screen) +
           "\n";
    for (const providers::LocalServer& server : providers::listening_servers(application.catalog()))
      out += fitted("A local model server may be at " + server.base_url + " (" + server.provider +
                        "); choose it with /model.",
                    screen) +
             "\n";
  }
  return out + dim_line(tip(invocation), screen);
}

}  // namespace skein::app
