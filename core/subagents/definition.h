// Who can be asked for help: an agent with its instructions, tools and perhaps a model, as a
// Markdown file describes it. What other programs write into such files is read too.
#pragma once

#include "core/model/tool.h"
#include "core/permission/policy.h"
#include "core/project/markdown_files.h"

namespace skein::subagents {

struct Definition {
  std::string name{};
  std::string description{};                        // when to use it, in one line; for the model
  std::string instructions{};                       // its system prompt
  std::optional<std::vector<std::string>> tools{};  // none: all there are
  std::vector<std::string> without{};
  std::string model{};     // empty: the one that asks for help
  std::string thinking{};  // empty: as there
  int most_calls = 0;      // of the model; 0: as many as there
  std::optional<permission::Mode> mode{};
  std::vector<std::string> skills{};  // that it has read when it begins
  bool background = false;
  bool has_hooks = false;  // which skein does not run
  std::string file{};      // that it was read from; empty: it is built in
  bool of_project = false;
  std::string sha256{};                // of the file
  std::string refusal{};               // why it cannot be used
  std::vector<std::string> remarks{};  // what of it is not obeyed
};

bool is_agent_name(std::string_view name);

// nullopt: a document without a name, which is only in the same folder.
std::optional<Definition> definition_from(const project::MarkdownFile& file);
// One that a script gives: Claude Code's form, `{"description", "prompt", "tools"?, "model"?}`.
Definition definition_from(const std::string& name, const JsonText& given);

// Those every skein has; others of the same name take their place.
std::span<const Definition> built_in();

// Whether it gets this tool of its parent's. None gets what hands work on or asks the user.
bool has_tool(const Definition& definition, const model::Tool& tool);
// The stricter of both: what binds the parent binds its helpers.
permission::Mode stricter(permission::Mode one, permission::Mode other);

// For the system prompt: those that are not built in. Empty: there are none.
std::string agent_list(std::span<const Definition> all, std::size_t most_bytes);

// A prompt that begins with the name of a sub-agent, "@explore where is the lexer tested?" or
// "@agent-explore …", is for that agent. The model is still asked: what is sent and saved is a
// message that has it hand the task on.
struct Delegated {
  std::string prompt{};      // the message to the model
  std::size_t name_end = 0;  // where the name ended in what was typed
};
// nullopt: it is for the model itself. A file of that name is meant before an agent is.
std::optional<Delegated> delegated(std::string_view prompt, const std::vector<Definition>& agents,
                                   const std::function<bool(std::string_view)>& is_file);

// How a sub-agent is named at the beginning of a prompt.
inline constexpr std::string_view agent_prefix = "agent-";

}  // namespace skein::subagents
