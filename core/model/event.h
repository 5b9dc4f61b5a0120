// What flows while a turn runs: deltas from a provider's stream, events from the loop to the user
// interface, and the ports through which the loop reaches the outside.
#pragma once

#include "core/model/entry.h"
#include "core/model/message.h"

namespace skein::model {

// What the model wants the user to decide: its question, or what becomes of its plan. All
// texts in it are the model's.
struct Inquiry {
  struct Option {
    std::string label;
    std::string description{};
    bool operator==(const Option&) const = default;
  };
  std::string question;
  std::string header{};  // a word or two; may be empty
  std::vector<Option> options{};
  bool multiple = false;  // several of them may be chosen
  bool operator==(const Inquiry&) const = default;
};

struct Plan {
  std::string title{};
  std::string text{};  // Markdown
  bool operator==(const Plan&) const = default;
};

struct PlanReview {
  enum class Verdict {
    not_yet,
    carry_out,
    accept_edits,  // carry it out, and let edits run unasked
    fresh,         // carry it out where nothing but the plan is known
  } verdict = Verdict::not_yet;
  std::string text{};  // the plan as the user left it; with not_yet: a word to the model
};

// A step of a stream. `block` names the block it belongs to, in the provider's own terms (an index,
// an item id); empty means: the last block if it is of this kind and still open, else a new one.
namespace delta {
struct TextPiece {
  std::string block, text;
  bool operator==(const TextPiece&) const = default;
};
struct ThinkingPiece {
  std::string block, text;
  bool operator==(const ThinkingPiece&) const = default;
};
// A signature is set, not appended; `redacted` marks a whole block of encrypted thinking.
struct Signature {
  std::string block, signature;
  bool redacted = false;
  bool operator==(const Signature&) const = default;
};
struct ToolStart {
  std::string block, id, name;
  bool operator==(const ToolStart&) const = default;
};
struct ToolInput {
  std::string block, json_piece;
  bool whole = false;  // not one more piece but the entire input, which replaces what there was
  bool operator==(const ToolInput&) const = default;
};
// The whole block is there. A call counts only after this and a strict parse of its input.
struct BlockEnd {
  std::string block;
  bool all = false;  // every open block: some wires end their calls only with the answer
  bool operator==(const BlockEnd&) const = default;
};
// Members merged into the block's provider_data (of a block we do not know: into the block).
struct ProviderData {
  std::string block;
  JsonText members;
  bool operator==(const ProviderData&) const = default;
};
// A block we do not know, whole.
struct Unknown {
  std::string block;
  JsonText raw;
  bool operator==(const Unknown&) const = default;
};
// Totals so far: what is given overwrites, what is not keeps its value.
struct UsageUpdate {
  std::optional<std::int64_t> input{}, output{}, cache_read{}, cache_write{}, reasoning{};
  bool operator==(const UsageUpdate&) const = default;
};
// What the service did to the request; all of it so far, as totals are.
struct Transformed {
  std::vector<Transformation> all;
  bool operator==(const Transformed&) const = default;
};
// The provider's reason for stopping. Not yet the end: usage may follow.
struct StopReason {
  Stop stop;
  std::string detail{};  // a refusal's explanation, say
  bool operator==(const StopReason&) const = default;
};
// The terminal marker: a stream without it was cut.
struct Finished {
  bool operator==(const Finished&) const = default;
};
// What a provider says when a request is too long, in tokens; 0: it does not say.
struct Overflow {
  std::int64_t window = 0;  // what it takes
  std::int64_t sent = 0;    // what it was given
  bool operator==(const Overflow&) const = default;
};
// The provider reports an error inside the stream.
struct Failed {
  std::string text;
  bool overflow = false;  // the request was too long for the model
  bool retryable = false;
  Overflow told{};     // what it says about that
  bool seals = false;  // it was sent thinking or signatures that it does not take (back)
  // The service is overloaded, out of quota, or no longer has the model: another one may answer.
  bool elsewhere = false;
  bool operator==(const Failed&) const = default;
};
}  // namespace delta

using Delta = std::variant<delta::TextPiece, delta::ThinkingPiece, delta::Signature,
                           delta::ToolStart, delta::ToolInput, delta::BlockEnd, delta::ProviderData,
                           delta::Unknown, delta::UsageUpdate, delta::Transformed,
                           delta::StopReason, delta::Finished, delta::Failed>;
using Deltas = std::vector<Delta>;

// What the loop tells the outside. Streaming is provisional; Committed is on disk.
struct Streaming {
  Delta delta;
};
struct Committed {
  Entry entry;
};
struct ToolStarted {
  ToolUse call;
  std::string title;  // one line: "read src/main.cpp"
};
struct ToolOutput {
  std::string call_id;
  std::string text;  // as it arrives; untrusted
};
struct ToolEnded {
  std::string call_id;
  bool is_error = false;
  std::int64_t duration_ms = 0;
};
struct Notice {
  enum class Level { info, warning, error } level = Level::info;
  std::string text;
};
// A request failed and is tried again after `wait`. Sent once for each wait.
struct Retrying {
  int attempt = 1;
  std::chrono::milliseconds wait{};
  std::string reason;
};

using Event =
    std::variant<Streaming, Committed, ToolStarted, ToolOutput, ToolEnded, Notice, Retrying>;

// A question only a person may answer. Without a terminal the answer is no.
struct Question {
  std::string text;        // "Run this command?"
  std::string detail{};    // the exact command or the diff
  std::string remember{};  // the rules "always" would add, exactly; empty if it is not offered
  // What the user may rewrite before it is done: a command, a text; and the name of a file that
  // would hold such a text.
  struct Amendable {
    std::string text;
    std::string file;
  };
  std::optional<Amendable> amendable{};
  // Of a question about a call of a tool; empty: it is about something else.
  enum class Kind { text, command, diff } kind = Kind::text;  // of the detail
  std::string request{};  // what it does, as in "agent reviewer wants to …": "run this command"
  std::string scope{};    // what `remember` allows, as in "yes, … for this session"
  std::string about{};    // what was decided on, in a word or two: "make check"
  std::string note{};     // a fact about it that matters less: "sandboxed"
  std::optional<ToolUse> call{};     // that it is about; none: it is about something else
  std::vector<std::string> rules{};  // those of `remember`, each as a rule is written
};
struct Answer {
  // always: as long as this session lasts. here: for good, in this workspace.
  enum class Choice { no, yes, always, here, amend } choice = Choice::no;
  std::string text{};  // with no: the reason, for the model; with amend: the new text
  // With yes and always: the whole input that the call is to have.
  std::optional<JsonText> input{};
};

// A line that a person is to write: what a tool's server wants to know, an argument that is
// missing.
struct LineQuestion {
  std::string text;      // who wants what; shown above the line
  std::string before{};  // is in the line already
};

// The loop's lines to the outside. One poll watches the network, the keyboard and children, so the
// keyboard is a file descriptor here: providers and the REPL stay strangers.
struct Ports {
  std::function<void(const Event&)> sink = [](const Event&) {};
  std::function<Answer(const Question&)> ask{};
  // nullopt: the user left it with Esc or ^C. Empty where no user can be asked, as `ask` is.
  std::function<std::optional<std::string>(const LineQuestion&)> ask_line{};
  // Both wait for as long as it takes. Empty: no user is there. The label that was chosen, several
  // with commas between, or words of the user's own; none: the user would not say.
  std::function<std::optional<std::string>(const Inquiry&)> inquire{};
  std::function<PlanReview(const Plan&)> review{};
  const std::atomic<bool>* stop = nullptr;  // set by ^C; lock-free
  // How often the user has asked for a stop, where that is counted. See next_stop_check().
  const std::atomic<unsigned>* stops = nullptr;
  // Set by ^B: the command that runs is to go on in the background. The loop that reads it clears
  // it.
  std::atomic<bool>* to_background = nullptr;
  struct Input {
    int fd = -1;
    std::function<void()> on_ready{};
  } input{};

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

// Serves the input while it waits. False: stopped, and therefore back early.
bool pause(const Ports& ports, std::chrono::milliseconds time);

// Whether to stop, for busy work to ask as often as it likes: that is when the keyboard is read.
// `ports` must outlive it.
std::function<bool()> stop_check(const Ports& ports);
// The same for work that is done after a stop too, and that only a further stop ends.
std::function<bool()> next_stop_check(const Ports& ports);
// The same without a look at the keyboard, for work that watches it itself.
std::function<bool()> next_stop(const Ports& ports);

}  // namespace skein::model
