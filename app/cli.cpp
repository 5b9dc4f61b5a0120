#include "app/cli.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "core/base.h"

namespace skein {

Parsed parse_command_line(int argc, const char* const* argv) {
  Invocation invocation;
  std::vector<std::string> words;
  CLI::App app("skein: an agent shell that never loses a word", "skein");
  app.set_version_flag("-v,--version", "skein " SKEIN_VERSION);
  app.add_option("prompt", words, "the first message");
  app.add_option("-m,--model", invocation.model, "PROVIDER/MODEL")->envname("SKEIN_MODEL");
  app.add_option("-C,--workspace", invocation.workspace, "the folder that tools may touch");
  app.add_option("--home", invocation.home, "where sessions live")->envname("SKEIN_HOME");
  app.add_flag("--debug", invocation.debug, "write a detailed log");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11's own statuses (100 …) mean nothing to scripts; ours is 2 for wrong usage.
    const int status = app.exit(error, std::cout, std::cerr);
    return {std::nullopt, status == 0 ? 0 : static_cast<int>(Trouble::usage)};
  }
  for (const std::string& word : words)
    invocation.prompt += (invocation.prompt.empty() ? "" : " ") + word;
  return {invocation, 0};
}

}  // namespace skein
