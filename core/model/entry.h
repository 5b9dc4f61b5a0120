// One line of a transcript, as a value: how it is made and what it means. The
// store seals and writes it; the tree arranges it.
#pragma once

#include "core/model/message.h"
#include "core/text/base.h"

namespace skein::model {

struct Entry {
  Id id{};
  std::optional<Id> parent{};  // none: a root
  std::string type{};          // "message", "custom", … ; unknown ones are kept as they are
  std::string timestamp{};
  std::string run_id{};  // the turn it belongs to; may be empty
  JsonText payload = "{}";
  JsonText meta{};  // a JSON object, or empty
  bool operator==(const Entry&) const = default;
};

// The types skein itself writes.
namespace type {
inline constexpr std::string_view session_header = "session_header";
inline constexpr std::string_view message = "message";
inline constexpr std::string_view message_delta_batch = "message_delta_batch";
inline constexpr std::string_view model_change = "model_change";
inline constexpr std::string_view thinking_level_change = "thinking_level_change";
inline constexpr std::string_view runtime_init = "runtime_init";
inline constexpr std::string_view system_prompt_override = "system_prompt_override";
inline constexpr std::string_view compaction_summary = "compaction_summary";
inline constexpr std::string_view branch_summary = "branch_summary";
inline constexpr std::string_view redaction = "redaction";
inline constexpr std::string_view custom = "custom";
}  // namespace type

// A new entry with a fresh id and the current time; the store sets its parent.
Entry make_entry(std::string_view type, JsonText payload);
Entry message_entry(const Message& message, JsonText meta = {});
// A message by which skein informs the model. It bears the mark of one that asks the model to go
// on, so that it is no prompt and counted nowhere.
Entry informing_entry(std::string text, JsonText meta = {});
std::optional<Message> message_of(const Entry& entry);  // none: it is something else

// Marginal entries (titles, labels, snapshots, the head, redactions, changes of model …) record
// where they were written but are never a parent, a leaf or the head. `custom` entries all are.
bool is_marginal(std::string_view type);

// A message by which skein tells the model what has changed since the conversation began; `meta`
// says so.
bool tells_changes(const Entry& entry);
// A message by which skein tells it of the list of things to do, which the user changed or which is
// left from before.
bool tells_todo(const Entry& entry);

// A message that a hook added; `meta` names its event.
bool is_from_hook(const Entry& entry);
JsonText hook_meta(std::string_view event);

// The format an entry was imported from, as `meta` says; empty: it is our own.
std::string imported_from(const Entry& entry);

// What the user typed where a command made the message of it ("/review HEAD~3"), as `meta` says;
// empty: the message is what was typed.
std::string typed_command(const Entry& entry);
std::string typed_command(std::string_view meta);
JsonText command_meta(const std::string& name, const std::string& arguments,
                      const std::string& source, const std::string& sha256);

// A diff of what a call changed in a file, as the meta of its result; empty: too long to be kept
// with it. And the diff in such meta; empty: there is none.
JsonText diff_meta(std::string_view diff);
std::string diff_in(const JsonText& meta);

// An entry as one line of text for lists and trees: whitespace folded, cut after `characters` code
// points. Not yet safe for a terminal: the screen's sink makes it so.
std::string preview(const Entry& entry, std::size_t characters);

// Whether a turn begins with this entry: it is a message by the user, and not a note.
bool is_prompt(const Entry& entry);

// Whether it is what skein wrote about something the user did, a command for example: sent with the
// next prompt, but never typed. `meta` says so.
bool is_note(const Entry& entry);
inline constexpr const char* note_meta = R"({"note":true})";

// Whether the user said it in the middle of a turn, behind the results of tools: a prompt all the
// same, which one can go back to. `meta` says so.
bool is_steered(const Entry& entry);

// A question that was asked outside the conversation, with its answer: an entry that is on no path
// and never sent.
struct Aside {
  std::string question{}, answer{};
  std::string provider{}, model{};  // who answered
  std::optional<Usage> usage{};
  std::int64_t duration_ms = 0;
};

Entry aside_entry(const Aside& aside);
std::optional<Aside> aside_of(const Entry& entry);  // none: it is something else

// The same of an entry that is not parsed: whether it is worth that, and what it says.
bool may_be_aside(std::string_view type, std::string_view payload);
std::optional<Aside> read_aside(std::string_view payload);

}  // namespace skein::model
