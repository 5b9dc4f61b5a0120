// What may run without asking: a mode, rules, and the decision about one call. Values and pure
// functions; asking the user and remembering the answer happen elsewhere.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/tool.h"

namespace skein::permission {

using model::Effect, model::find_tool, model::Located, model::Tool, model::Tools, model::ToolUse;

enum class Mode { normal, plan, accept_edits, bypass };
std::optional<Mode> parse_mode(std::string_view name);  // default, plan, acceptEdits, …
std::string_view name(Mode mode);
std::string describe(Mode mode);  // what it allows, in half a sentence
// The next mode when a key is pressed: default, acceptEdits and plan in turn. bypassPermissions can
// be left that way but not entered.
Mode next(Mode mode);

// `read`: every call of a tool. `edit(src/*)`: those whose path matches the glob; the path is the
// one in the workspace after links. `read(//etc/x)` is meant from the root of the file system,
// `read(~/x)` from the home folder, `read(/x)` from the root or the workspace. `bash(ctest *)`:
// those whose command has these words; a last `*` stands for any further words (or none), a `*` in
// a word for any text in it. `bash(= LINE)`: this line and no other. `web_fetch(docs.python.org)`:
// those whose URL has this host; see UrlPattern. `mcp__SERVER__TOOL` is a tool of a server,
// `mcp__SERVER` all of them. Rules that deny are read more widely (Purpose).
struct Rule {
  enum class Origin { session, here, flag, configuration, workspace };
  std::string tool;
  std::string pattern{};  // empty: every call
  Origin origin = Origin::session;
  // For a tool of a server: how it was defined when the user allowed it; see Rules::definition.
  // Empty: by its name, whatever it becomes.
  std::string definition{};
  bool operator==(const Rule&) const = default;
};
std::string_view name(Rule::Origin origin);
// "read,bash(git status),bash(ctest *)". Tools may be named as elsewhere (Bash, LS, MultiEdit) and
// prefixes written as there (bash(git push:*)). Throws Error (usage) if a rule cannot be read,
// names no tool or could match nothing.
std::vector<Rule> parse_rules(std::string_view text, const Tools& tools);
// The same for rules that are to allow: a wildcard that would let a command run any other is
// refused as well, because no call would ever be allowed by it.
std::vector<Rule> parse_allow_rules(std::string_view text, const Tools& tools);
// As it is stored. Of one that remembers a definition: `mcp__SERVER__TOOL@DEFINITION`.
std::string to_string(const Rule& rule);

struct Rules {
  Mode mode = Mode::normal;
  std::vector<Rule> allow{};
  std::vector<Rule> deny{};  // stronger than everything else, in every mode
  bool sandboxed = false;    // without a sandbox every command is asked about
  std::vector<Rule> ask{};   // stronger than what allows, in every mode; read as widely as `deny`
  // Allowed by the session's transcript but not granted by this user here: only shown.
  std::vector<Rule> not_applied{};
  // Places in the workspace that run by themselves, besides those that are known by their names.
  std::vector<std::string> guarded{};
  // A hook that may run any file of the project, by its command; empty: there is none. Then every
  // place in the workspace counts as guarded.
  std::string unseen_hook{};
  // Whether the user has named this web address. Left out: none was.
  std::function<bool(const std::string& url)> typed{};
  // A hash of what a server says of its tool: three parts with `-` between, of its description, its
  // schema and its annotations. Empty: it has none.
  std::function<std::string(const std::string& tool)> definition{};
};

// Rules as a session keeps them, one a text; one with `!` in front forbids. A transcript can come
// from anywhere: what it allows counts only if it was `granted`, by this user for this workspace.
// What cannot be read is skipped: it must not keep the session from being opened.
void add_session_rules(Rules& rules, const Tools& tools, const std::vector<std::string>& kept,
                       const std::function<bool(const std::string& rule)>& granted);

// Rules the user gave this workspace for good, one a text.
void add_rules_here(Rules& rules, const Tools& tools, const std::vector<std::string>& kept);

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

// Whether a file that a prompt names may be attached. What lies in the workspace may; elsewhere
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

// The exact rules "always" would add, after which this call is allowed. Empty: not offered, because
// no rule can cover the call or none should.
std::vector<Rule> remember(const Rules& rules, const Tools& tools, const ToolUse& call);
// The answers of earlier versions that allow this tool of a server by its name alone, each with the
// definition that it has now.
std::vector<std::pair<Rule, Rule>> to_be_pinned(const Rules& rules, const std::string& tool);

}  // namespace skein::permission
