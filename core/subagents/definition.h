// Who can be asked for help: an agent with instructions, tools and perhaps a model of its own, as a
// Markdown file describes it. What other programs write into such files is read too.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/tool.h"
#include "core/permission/policy.h"
#include "core/project/markdown_file.h"

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

// nullopt: a document without a name, which only lies in the same folder.
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

}  // namespace skein::subagents
