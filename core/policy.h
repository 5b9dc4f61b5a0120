// What may run unasked: a mode, rules, and the decision about one call. All of it values and pure
// functions; who asks and who remembers is elsewhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tool.h"

namespace skein {

enum class Mode { normal, plan, accept_edits, bypass };
std::optional<Mode> parse_mode(std::string_view name);  // default, plan, acceptEdits, …
std::string_view name(Mode mode);
std::string describe(Mode mode);  // what it lets pass, in half a sentence
// The one a key press leads to: around default, acceptEdits and plan. bypassPermissions is left
// that way, never entered.
Mode next(Mode mode);

// `read`: every call of a tool. `edit(src/*)`: those whose path matches the glob. `bash(ctest *)`:
// those whose command has these words; a last `*` stands for any further words (or none), a `*`
// in a word for any text in it.
struct Rule {
  enum class Origin { session, flag, configuration, workspace };
  std::string tool;
  std::string pattern{};  // empty: every call
  Origin origin = Origin::session;
  bool operator==(const Rule&) const = default;
};
std::string_view name(Rule::Origin origin);
// "read,bash(git status),bash(ctest *)". Throws Error (usage) on what cannot be read.
std::vector<Rule> parse_rules(std::string_view text);
std::string to_string(const Rule& rule);

struct Rules {
  Mode mode = Mode::normal;
  std::vector<Rule> allow{};
  std::vector<Rule> deny{};  // stronger than everything else, in every mode
  bool sandboxed = false;    // without a sandbox every command is asked about
};

// Rules as a session keeps them, one a text; one with `!` in front forbids. What cannot be read is
// passed over: it must not keep the session from being opened.
void add_session_rules(Rules& rules, const std::vector<std::string>& kept);

struct Decision {
  enum class Verdict { allow, deny, ask } verdict = Verdict::ask;
  std::string reason{};  // why not, for a person or the model to read
};

Decision decide(const Rules& rules, const Tools& tools, const ToolUse& call);

// What "always" would add, exactly: afterwards this call is allowed. Empty: not offered, because
// no rule could cover it or none should.
std::vector<Rule> remember(const Rules& rules, const Tools& tools, const ToolUse& call);

}  // namespace skein
