#include "app/system_prompt.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace skein::app {

namespace {

constexpr std::size_t max_guide_bytes = 64u << 10;

constexpr const char* own_words =
    "You are an engineer at work in a developer's terminal, through skein. You have tools to read, "
    "search, change and run things in the workspace; use them instead of guessing, and look before "
    "you change anything. Keep changes small and in the style of what is there. Run what proves "
    "that "
    "a change works when there is something to run. Commands run without a terminal and without "
    "input. Answer briefly, in Markdown; name files by their path. If something was refused, do "
    "not "
    "try to get around it: say what you would need and why.";

// Bounded and plain: a workspace's file is somebody else's text.
std::optional<agent::Surrounding> guide(const std::string& workspace) {
  for (const char* name : {"AGENTS.md", "CLAUDE.md"}) {
    const std::filesystem::path file = std::filesystem::path(workspace) / name;
    std::error_code failed;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, failed))) continue;
    std::ifstream in(file, std::ios::binary);
    std::string text(max_guide_bytes, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return agent::Surrounding{std::string(name) + " of this workspace",
                              valid_utf8(utf8_prefix(text, text.size())), true};
  }
  return std::nullopt;
}

}  // namespace

// Skein's own words are not among the surroundings: a new version has no news for an old session.
SystemPrompt system_prompt(const Config& config, const std::string& workspace) {
  SystemPrompt out{.text = config.system_prompt.empty() ? own_words : config.system_prompt};
  if (!config.system_prompt.empty())
    out.surroundings.push_back({"the user's system prompt", config.system_prompt, true});
  out.text += "\n\nThe workspace is " + workspace + ".";
  out.surroundings.push_back({"the workspace", workspace});
  if (const std::optional<agent::Surrounding> found = guide(workspace)) {
    out.text += "\n\n# " + found->name + "\n\n" + found->text;
    out.surroundings.push_back(*found);
  }
  if (!config.append_system_prompt.empty()) {
    out.text += "\n\n" + config.append_system_prompt;
    out.surroundings.push_back(
        {"the user's addition to the system prompt", config.append_system_prompt, true});
  }
  return out;
}

}  // namespace skein::app
