// A tool: one ability a model may call, as a struct of functions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/event.h"
#include "core/model/file_keeper.h"
#include "core/model/located.h"
#include "core/model/message.h"
#include "core/model/provider.h"
#include "core/model/survey.h"
#include "core/text/base.h"

namespace skein::model {

// What a tool does to the world. What does more than read asks first and is never run again by
// itself after a crash.
enum class Effect { reads, writes, runs };

// What a call is about, and so what rules say of it and how it is judged.
struct Argument {
  enum class Kind {
    none,     // rules name the tool alone
    file,     // a path
    tree,     // the path of a file, or of a folder with everything in it
    command,  // of a shell
    url,      // a web address: rules name hosts, and what no rule allows is asked about
  };
  Kind kind = Kind::none;
  std::string name{};  // the member of the input that holds it

  bool is_path() const { return kind == Kind::file || kind == Kind::tree; }
};

// What came of a call, for the model to read. Failure is an outcome, not an exception.
struct ToolOutcome {
  std::vector<ResultBlock> content;
  bool is_error = false;
  std::string blob{};  // where the whole output lies, if it was cut
  std::int64_t duration_ms = 0;
  std::string notice{};              // what the user must be told as well; may be empty
  JsonText meta{};                   // of the entry that keeps it; may be empty
  std::optional<int> exit_status{};  // of a command that ended by itself
  // Rules that hold until the turn ends, as their author wrote them. Only what the user trusts
  // lends any; what is forbidden stays so.
  std::vector<std::string> lends{};
  int model_calls = 0;  // that others made for it; they count like those of the turn
  // What the user decided while it ran. Only our own tools that ask the user set any of it.
  struct Decided {
    std::optional<Stop> ends_turn{};  // the model is not asked again, and the turn ends so
    std::string mode{};               // the permission mode from now on; empty: as it is
    std::string title{};              // for a session that was not given one
    std::string anew{};               // a prompt, for a branch in which nothing else was said
  } decided{};
};
ToolOutcome tool_text(std::string text);
ToolOutcome tool_failure(std::string text);

// What the model is told of a call the user rewrote before it was run; and whether a result says
// so: then its call does not tell what was done.
Text amendment(const std::string& argument, const std::string& text);
Text hook_amendment(const JsonText& input);  // the same of a call that a hook rewrote
bool was_amended(const ToolResult& result);

// How the result of a call begins that the user did not allow; and whether one does.
inline constexpr std::string_view refusal_opening = "the user said no";
bool was_refused(const ToolResult& result);
// "refused", with the reason if one was given, as it is said to people.
std::string refusal_words(const ToolResult& result);

// What rules say of a web address that a call leads to.
struct UrlStanding {
  bool forbidden = false;
  bool named = false;  // a rule that allows it names its very host, with its port
};

// What a tool may use while it runs.
struct ToolPorts {
  std::function<void(std::string_view)> output = [](std::string_view) {};  // live, untrusted
  std::function<bool()> stopped = [] { return false; };
  // Whether the user wants what runs to go on in the background; asking takes the wish. May be
  // empty.
  std::function<bool()> to_background{};
  std::optional<Id> session{};  // in which the call was made; left out: in none
  int wake_fd = -1;             // readable when `stopped` may have changed; -1: none
  // Keeps bytes that are too large for a transcript line; returns the blob's name. May be empty.
  std::function<std::string(std::string_view bytes)> keep_blob{};
  // The place that was judged, as Located says it; empty: none in the workspace. A tool that finds
  // its path leading elsewhere by now leaves it alone. Left out: not judged.
  std::optional<std::string> judged{};
  // Before a file is replaced, under the handle it was read with. Returns why it must not be;
  // empty: it may. May be empty itself.
  std::function<std::string(const FileBefore& file)> before_write{};
  // Whether the model still has a result before it that says exactly this. May be empty.
  std::function<bool(std::string_view text)> was_said{};
  // Whether a rule forbids a place further down, of which the call does not speak. May be empty.
  std::function<bool(std::string_view below)> denied{};
  // The same for web addresses. May be empty: then nothing is forbidden, and nothing is named.
  std::function<UrlStanding(const std::string& url)> url_standing{};
  // Questions that the tool itself has for the user. Empty where nobody can be asked.
  std::function<Answer(const Question&)> ask{};
  std::function<std::optional<std::string>(const LineQuestion&)> ask_line{};
  // See Ports; empty: nobody is there.
  std::function<std::optional<std::string>(const Inquiry&)> inquire{};
  std::function<PlanReview(const Plan&)> review{};
  bool planning = false;  // plan mode is on
  std::string call{};     // the id of the call
  // Has something done in the turn's own thread and waits for it; any thread may call it. Only a
  // call that delegates has it: every other runs there, or has no business there.
  std::function<void(const std::function<void()>& what)> in_turn{};
};

struct Tool {
  std::string name;
  std::string description;
  JsonText schema;
  Effect effect = Effect::runs;
  std::string does{};  // in a word or two for people, where the effect does not tell it: "stops"
  Argument argument{};
  // One line for people: "read src/main.cpp". Never fails, whatever the input is.
  std::function<std::string(const JsonText& input)> title;
  // What the call would do, for a person to approve: a diff, a command. May be empty.
  std::function<std::string(const JsonText& input)> preview{};
  // What the call changes, told from its input alone, so that it can still be told much later: a
  // unified diff. May be empty.
  std::function<std::string(const JsonText& input)> diff{};
  std::function<ToolOutcome(const JsonText& input, const ToolPorts& ports)> run;
  // Where a path in a call leads. May be empty: then rules go by its words.
  Locate locate{};
  // For commands that only read. May be empty: then each of them is asked about.
  Survey survey{};
  // The argument a person may want to rewrite before the call is run; may be empty.
  std::string amendable{};
  std::vector<std::string> other_names{};  // for rules, in lower case: what other agents call it
  // A pattern that is forbidden to the tool of this name is forbidden to this one too.
  std::string forbidden_with{};
  // It reads, and calls in one answer may run at the same time, each in a thread of its own. What
  // it reaches through its ports runs in the turn's.
  bool concurrent = false;
  // It hands work to another agent, which is judged call by call: it runs in a thread of its own
  // even if it is alone, and what a crash cut off is never run again by itself.
  bool delegates = false;
  // It is nothing but a question to the user: left open by a crash, it is asked again.
  bool asks_user = false;
  // It can be called, but the model is not given its schema unless it looks for it.
  bool deferred = false;
  // Which call of another tool this call really is: that one is judged, shown and run instead.
  // nullopt: none that can be made out. May be empty.
  std::function<std::optional<ToolUse>(const ToolUse& call)> stands_for{};

  // Then every call is asked about where there is none.
  bool needs_sandbox() const {
    return effect == Effect::runs || argument.kind == Argument::Kind::command;
  }
  ToolSpec spec() const { return {name, description, schema}; }
};

using Tools = std::vector<Tool>;
const Tool* find_tool(const Tools& tools, std::string_view name);
const Tool* find_file_reader(const Tools& tools);  // what a file that is mentioned is read with

}  // namespace skein::model
