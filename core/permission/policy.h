// Whether one call may run without asking, by a mode and rules. Values and pure
// functions; asking the user and remembering the answer happen elsewhere.
#pragma once

#include "core/model/tool.h"
#include "core/permission/rules.h"

namespace skein::permission {

struct Decision {
  enum class Verdict { allow, deny, ask } verdict = Verdict::ask;
  std::string reason{};  // why not, for a person or the model to read
  // Which place in the workspace this is about, after links; empty: none. Left out: a command, or a
  // tool that cannot tell.
  std::optional<std::string> place{};
  // The parts of a tool's definition that changed since the user allowed it.
  std::vector<std::string> changed{};
};

// The reason for asking about what has to run in a sandbox where there is none.
inline constexpr std::string_view not_sandboxed = "there is no sandbox";

// Decides on the file a path leads to, not on its words; for that it asks the tool's `locate`. A
// command that can be shown to do nothing but read in the workspace (command_report.h) is allowed
// in a sandbox. A rule that forbids a command forbids every line that is seen to start it; what may
// start it unseen is asked about, except in bypassPermissions.
Decision decide(const Rules& rules, const Tools& tools, const ToolUse& call);

// Whether one of the rules covers the call, read as widely as one that forbids. What only may be
// covered is not.
bool speak_of(const std::vector<Rule>& rules, const Tools& tools, const ToolUse& call);

// Whether a file that a prompt names may be attached. What is in the workspace may; elsewhere
// only what a rule for the tool that reads files names from the root (//…, /…) or the home folder
// (~/…) may.
Decision decide_mention(const Rules& rules, const Tools& tools, const std::string& path);

// What a search or listing must leave out, by place; empty if no rule speaks of it.
std::function<bool(std::string_view below)> denied_places(const Rules& rules, const Tools& tools,
                                                          const ToolUse& call);

// What rules say of web addresses that a call leads to; empty if the call is about none. Both must
// outlive it.
std::function<model::UrlStanding(const std::string& url)> url_standing(const Rules& rules,
                                                                       const Tools& tools,
                                                                       const ToolUse& call);

// The exact rules "always" would add, after which this call is allowed: the narrowest that are of
// use. Empty: not offered, because no rule can cover the call or none should.
std::vector<Rule> remember(const Rules& rules, const Tools& tools, const ToolUse& call);
// The answers of earlier versions that allow this tool of a server by its name alone, each with the
// definition that it has now.
std::vector<std::pair<Rule, Rule>> to_be_pinned(const Rules& rules, const std::string& tool);

}  // namespace skein::permission
