// What the user allows and forbids: modes and rules, and how they are written. Values.
#pragma once

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
// those whose command has these words; a last `*` means any further words (or none), a `*` in
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

}  // namespace skein::permission
