// skein help: about the subcommands, the configuration, and the manual pages.
#include <algorithm>
#include <cstdio>

#include "app/config/keys.h"
#include "app/manual/pages.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/text/spelling.h"
#include "core/text/text.h"

namespace skein::verbs {

namespace {

void print_text(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int print_page(const std::vector<std::string>& arguments) {
  const std::string wanted = arguments.empty() ? "skein" : arguments.front();
  std::vector<std::string> names;
  for (const manual::Page& page : manual::pages()) {
    names.emplace_back(page.name);
    if (page.name != wanted || arguments.size() > 1) continue;
    print_text(page.roff());
    return 0;
  }
  throw Error("there is no manual page '" + wanted + "'; there are " + listed(names),
              ExitStatus::usage);
}

// The name of a subcommand, as far as it is one: of "sessions shwo" that of "sessions show".
std::string nearest_topic(const std::string& topic) {
  std::vector<std::string_view> names;
  for (const app::Subcommand& row : app::subcommands())
    if (!row.hidden()) names.push_back(row.name);
  return std::string(nearest(topic, names));
}

}  // namespace

int show_help(const app::Invocation& invocation) {
  if (invocation.has("--man")) return print_page(invocation.arguments);
  std::string topic;
  std::vector<const char*> words{"skein"};
  for (const std::string& word : invocation.arguments) {
    topic += (topic.empty() ? "" : " ") + word;
    words.push_back(word.c_str());
  }
  if (topic == "config") {
    print_text(config::describe_keys());
    return 0;
  }
  const bool known = std::ranges::any_of(app::subcommands(), [&](const app::Subcommand& row) {
    return row.name == topic && !row.hidden();
  });
  if (!topic.empty() && !known) {
    const std::string meant = nearest_topic(topic);
    throw Error("there is no subcommand '" + topic + "'; " +
                    (meant.empty() ? "`skein --help` lists them"
                                   : "did you mean `skein help " + meant + "`?"),
                ExitStatus::usage);
  }
  words.push_back("--help");
  return app::parse_command_line(static_cast<int>(words.size()), words.data()).status;
}

}  // namespace skein::verbs
