#include "app/system_prompt.h"

#include <cstdint>

#include "core/model/tokens.h"
#include "core/text/amounts.h"
#include "core/text/text.h"

namespace skein::app {

namespace {

constexpr const char* own_words =
    "You are an engineer at work in a developer's terminal, through skein. You have tools to read, "
    "search, change and run things in the workspace; use them instead of guessing, and look before "
    "you change anything. Keep changes small and in the style of what is there. Run what proves "
    "that "
    "a change works when there is something to run. Commands run without a terminal and without "
    "input. Answer briefly, in Markdown; name files by their path. If something was refused, do "
    "not "
    "try to get around it: say what you would need and why.";

}  // namespace

// Skein's own words are not among the surroundings: a new version has no news for an old session.
SystemPrompt system_prompt(const config::Config& config, const std::string& workspace,
                           const std::vector<instructions::Document>& documents,
                           const memory::Memory& memory) {
  SystemPrompt out{.text = config.system_prompt.empty() ? own_words : config.system_prompt};
  if (!config.system_prompt.empty())
    out.surroundings.push_back({"the user's system prompt", config.system_prompt, true});
  out.text += "\n\nThe workspace is " + workspace + ".";
  out.surroundings.push_back({"the workspace", workspace});
  out.text += instructions::prompt_text(documents);
  for (const instructions::Document& each : documents)
    out.surroundings.push_back({each.name, each.text, true});
  for (const memory::Scope scope : {memory::Scope::everywhere, memory::Scope::project}) {
    const std::string& notes = memory.told(scope);
    if (notes.empty()) continue;
    const std::string name = scope == memory::Scope::everywhere
                                 ? "what the user wants remembered everywhere"
                                 : "what is to be remembered about this project";
    out.text += "\n\n# W" + name.substr(1) + "\n\n" + notes;
    out.surroundings.push_back({name, notes, true});
  }
  if (!config.append_system_prompt.empty()) {
    out.text += "\n\n" + config.append_system_prompt;
    out.surroundings.push_back(
        {"the user's addition to the system prompt", config.append_system_prompt, true});
  }
  return out;
}

instructions::Places instruction_places(const project::Places& project) {
  instructions::Places places;
  places.home = project.home;
  if (!project.config.empty()) places.own.push_back(project.config + "/AGENTS.md");
  if (!places.home.empty()) {
    places.own.push_back(places.home + "/.config/AGENTS.md");
    places.own.push_back(places.home + "/.claude/CLAUDE.md");
  }
  places.folders = project.levels;
  return places;
}

std::string read_line(const std::vector<instructions::Document>& documents) {
  constexpr std::size_t most_named = 5;
  std::vector<std::string> names;
  std::int64_t tokens = 0;
  for (const instructions::Document& each : documents) {
    tokens += model::tokens_of(each.text);
    if (names.size() < most_named) names.push_back(each.shown);
  }
  if (names.empty()) return {};
  if (names.size() < documents.size())
    names.back() += " and " + std::to_string(documents.size() - names.size()) + " more";
  return "instructions: " + listed(names) + " (" + short_count(tokens) +
         " tokens; /instructions shows why)\n";
}

}  // namespace skein::app
