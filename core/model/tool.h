// A tool: one ability a model may call, as a struct of functions.
#pragma once

#include <sys/types.h>

#include "core/model/entry.h"
#include "core/model/event.h"
#include "core/model/message.h"
#include "core/model/provider.h"
#include "core/text/base.h"

namespace skein::model {

// A file that is about to be written, as it is under the very handle it was opened with.
struct FileBefore {
  std::string_view below;                   // its path in the workspace, after links
  std::optional<std::string_view> bytes{};  // none: there is no such file, or `too_large`
  mode_t mode = 0;
  std::uint64_t size = 0;
  bool too_large = false;
};

// Saves the files of the workspace with the conversation, as the loop sees it: called before
// something changes them and when a turn is over, it answers with the entries to be written.
class FileKeeper {
 public:
  virtual ~FileKeeper() = default;

  struct Moment {
    Id session{};
    std::optional<Id> prompt{};  // that the turn answers
    std::string run_id{};        // the turn
    std::function<bool()> stopped;
  };
  struct Kept {
    std::vector<Entry> entries{};        // to be written before anything is changed
    std::vector<std::string> notices{};  // what the user should know: what is not covered
    std::string refusal{};               // not empty: nothing may be changed, and why
  };
  // Before something that may change any file.
  virtual Kept before_command(const Moment& moment) = 0;
  virtual Kept before_write(const Moment& moment, const FileBefore& file) = 0;
  // Nothing was changed: nothing is done.
  virtual Kept after_turn(const Moment& moment) = 0;
};

// How a place in an additional directory is called: "/home/me/lib/./src/x.c". The directory stays
// apart from the path in it, so that a rule about the workspace's own src allows nothing there.
inline constexpr std::string_view further_mark = "/./";

inline std::string further_place(std::string_view folder, std::string_view inner) {
  return std::string(folder) + std::string(further_mark) + std::string(inner);
}

// The path in the folder; nothing: it is a place in the workspace.
inline std::optional<std::string_view> inner_place(std::string_view place) {
  const std::size_t mark = place.starts_with('/') ? place.find(further_mark) : place.npos;
  if (mark == place.npos) return std::nullopt;
  return place.substr(mark + further_mark.size());
}

inline std::string_view further_folder_of(std::string_view place) {
  return place.substr(0, place.find(further_mark));
}

// What a command that only reads would come across, beyond what its words say. All of them may be
// empty: then nothing can be proven of such a command. Paths are as a command in the workspace
// names them.
struct Survey {
  // Whether a program of this name comes from the machine, not from the workspace.
  std::function<bool(const std::string& program)> installed{};
  // The files that a pattern finds, where every other character than * and ? is itself behind a
  // backslash. Nullopt: too many.
  std::function<std::optional<std::vector<std::string>>(const std::string& pattern)> glob{};
  // A file in a folder, however deep, that must not be read unasked; empty: there is none. With
  // `all` also among what git ignores and what is hidden.
  std::function<std::string(const std::string& folder, bool all)> secret_in{};
  // Why git may run programs of the repository's when it is started in a folder, or show with
  // `contents` what must not be read unasked; empty: it does not.
  std::function<std::string(const std::string& folder, bool contents)> repository_risk{};
};

// Where a path leads once every link in it is followed: what rules decide on, whatever a call or a
// prompt calls it.
struct Located {
  // Its path in the workspace, "." for that itself; in an additional directory as further_place()
  // says it; empty: tools cannot.
  std::string below{};
  std::string absolute{};   // empty: unknown
  std::string from_home{};  // "~/x" if it is in the user's home folder, "~" for that itself
  bool many_names = false;  // a file with hard links: another of its names may lie anywhere
  bool exists = false;
  std::string refusal{};   // why `below` is empty
  std::string withheld{};  // what keeps it from the model: ".skeinignore:3"; empty: nothing does
  std::string secret{};    // the pattern of secrets it looks like: "*.pem"; empty: it does not
};
using Locate = std::function<Located(std::string_view path)>;

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
  std::string blob{};  // where the whole output is, if it was cut
  std::int64_t duration_ms = 0;
  std::string notice{};              // what the user must know as well; may be empty
  JsonText meta{};                   // of the entry that keeps it; may be empty
  std::optional<int> exit_status{};  // of a command that ended by itself
  // Rules that hold until the turn ends, as their author wrote them. Only what the user trusts
  // sets any; what is forbidden stays so.
  std::vector<std::string> temporary_rules{};
  int model_calls = 0;  // that others made for it; they count like those of the turn
  // What the user decided while it ran. Only our own tools that ask the user set any of it.
  struct Decided {
    std::optional<Stop> ends_turn{};  // the model is not asked again, and the turn ends so
    std::string mode{};               // the permission mode from now on; empty: as it is
    std::string title{};              // for a session that was not given one
    std::string new_branch_prompt{};  // a prompt, for a branch in which nothing else was said
  } decided{};
};
ToolOutcome tool_text(std::string text);
ToolOutcome tool_failure(std::string text);

// What the model learns of a call the user rewrote before it was run; and whether a result says
// so: then its call does not tell what was done.
Text amendment(const std::string& argument, const std::string& text);
Text hook_amendment(const JsonText& input);  // the same of a call that a hook rewrote
bool was_amended(const ToolResult& result);

// What rules say of a web address that a call leads to.
struct UrlStanding {
  bool forbidden = false;
  bool named = false;  // a rule that allows it names its very host, with its port
};

// What a tool may use while it runs. What is left out is not done, unless it says otherwise.
struct ToolPorts {
  // The call.
  std::optional<Id> session{};  // in which it was made; left out: in none
  std::string call{};           // its id
  // The place that was judged, as Located says it; empty: none in the workspace. A tool that finds
  // its path leading elsewhere by now leaves it alone. Left out: not judged.
  std::optional<std::string> judged{};
  bool planning = false;  // plan mode is on

  // While it runs.
  std::function<void(std::string_view)> output = [](std::string_view) {};  // live, untrusted
  std::function<bool()> stopped = [] { return false; };                    // left out: never
  int wake_fd = -1;  // readable when `stopped` may have changed; -1: none
  // Whether the user wants what runs to go on in the background; asking takes the wish.
  std::function<bool()> to_background{};
  // Has something done in the turn's own thread and waits for it; any thread may call it. Only a
  // call that delegates has it: every other runs there, or has no business there.
  std::function<void(const std::function<void()>& what)> in_turn{};

  // Rules.
  // Whether one forbids a place further down, of which the call does not speak.
  std::function<bool(std::string_view below)> denied{};
  // The same for web addresses. Left out: nothing is forbidden, and nothing is named.
  std::function<UrlStanding(const std::string& url)> url_standing{};

  // What is saved.
  // Keeps bytes that are too large for a transcript line; returns the blob's name.
  std::function<std::string(std::string_view bytes)> keep_blob{};
  // Before a file is replaced, under the handle it was read with. Returns why it must not be;
  // empty: it may.
  std::function<std::string(const FileBefore& file)> before_write{};
  // Whether the model still has a result before it that says exactly this.
  std::function<bool(std::string_view text)> was_said{};

  // Questions that the tool itself has for the user; see Ports. Left out where no user can be
  // asked.
  std::function<Answer(const Question&)> ask{};
  std::function<std::optional<std::string>(const LineQuestion&)> ask_line{};
  std::function<std::optional<std::string>(const Inquiry&)> inquire{};
  std::function<PlanReview(const Plan&)> review{};
};

// What a call would do, for a person to approve: a diff, a command.
struct Preview {
  Preview(std::string shown, bool fails = false) : text(std::move(shown)), must_fail(fails) {}
  std::string text;
  bool must_fail;  // it cannot be done, and `text` says why
};

struct Tool {
  // For the model.
  std::string name;
  std::string description;
  JsonText schema;

  // For rules and for people: what a call is about and what it would do.
  Effect effect = Effect::runs;
  std::string does{};  // in a word or two for people, where the effect does not tell it: "stops"
  Argument argument{};
  // One line for people: "read src/main.cpp". Never fails, whatever the input is.
  std::function<std::string(const JsonText& input)> title;
  std::function<Preview(const JsonText& input)> preview{};  // may be empty
  // What the call changes, as its input alone says, so that it can still be shown much later: a
  // unified diff. May be empty.
  std::function<std::string(const JsonText& input)> diff{};
  std::function<ToolOutcome(const JsonText& input, const ToolPorts& ports)> run;
  // Where a path in a call leads. May be empty: then rules go by its words.
  Locate locate{};
  // Of the tool that reads files: the text of what is_document() is true for. Throws Error.
  std::function<std::string(std::string_view bytes, const std::function<bool()>& stopped)>
      document_text{};
  // For commands that only read. May be empty: then each of them is asked about.
  Survey survey{};
  // The argument a person may want to rewrite before the call is run; may be empty.
  std::string amendable{};
  std::vector<std::string> other_names{};  // for rules, in lower case: what other agents call it
  // A pattern that is forbidden to the tool of this name is forbidden to this one too.
  std::string forbidden_with{};
  // It reads, and calls in one answer may run at the same time, each in its own thread. What
  // it reaches through its ports runs in the turn's.
  bool concurrent = false;
  // It hands work to another agent, which is judged call by call: it runs in its own thread
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

// Why a call cannot have meant this schema, looking at its top level only, as a sentence for the
// model; empty: it can.
std::string trouble_with_arguments(const JsonText& schema, const JsonText& input);

std::string handing_on(std::string_view agent, std::string_view task);

}  // namespace skein::model
