// What was said, in no provider's dialect. Codecs translate it to and from the wire; the payload of
// a `message` entry is its JSON form.
#pragma once

#include "core/model/usage.h"
#include "core/text/base.h"

namespace skein::model {

enum class Role { user, assistant, tool };

// Why an assistant message ended. `none` for the other roles.
enum class Stop { none, stop, length, tool_use, refusal, aborted, interrupted, error };

// On every block, `provider_data` is a JSON object (or empty) that the provider which made the
// block needs back verbatim: signatures, item ids, encrypted reasoning. Losing it is a bug.

struct Text {
  std::string text;
  JsonText provider_data{};
  bool operator==(const Text&) const = default;
};

struct Thinking {
  std::string thinking;
  std::string signature{};
  bool redacted = false;  // `signature` then holds the provider's encrypted text
  JsonText provider_data{};
  bool operator==(const Thinking&) const = default;
};

struct Image {
  std::string mime_type;
  std::string blob{};   // name of the blob that holds the bytes
  std::string bytes{};  // the bytes themselves, only in memory, while a request is made
  JsonText provider_data{};
  bool operator==(const Image&) const = default;
};

struct ToolUse {
  std::string id;
  std::string name;
  JsonText input = "{}";  // a JSON object; what was none, or was cut, is its member `_raw`
  JsonText provider_data{};
  std::string fault{};  // why it cannot be run as it came; only in memory, until it is answered
  bool operator==(const ToolUse&) const = default;
};

// Something a provider said that we do not know; kept to be sent back to that provider.
struct Opaque {
  std::string provider;
  JsonText raw;
  bool operator==(const Opaque&) const = default;
};

using ResultBlock = std::variant<Text, Image, Opaque>;

struct ToolResult {
  std::string tool_use_id;
  std::vector<ResultBlock> content{};
  bool is_error = false;
  std::string blob{};  // the whole output, where `content` holds only a part of it
  JsonText provider_data{};
  bool operator==(const ToolResult&) const = default;
};

using Block = std::variant<Text, Thinking, Image, ToolUse, ToolResult, Opaque>;

// What a service did to a request before its model saw it: how many blocks of which kind, and why,
// in the service's own words ("thinking_dropped", "prefix_binding_mismatch").
struct Transformation {
  std::string type;
  std::string reason;
  std::int64_t count = 1;
  bool operator==(const Transformation&) const = default;
};

// Whether what a provider sealed (thinking, signatures, item ids) may still go back to it.
enum class Seals {
  good,
  moved,    // something before the message has changed since: no good where that is sealed too
  refused,  // the provider has refused it
};

struct Message {
  Role role = Role::user;
  std::vector<Block> content{};
  // A user message that skein wrote so that the model continues: it is not a prompt.
  bool continuation = false;
  std::string provider{};  // who wrote it, for assistant messages
  std::string model{};
  Stop stop = Stop::none;
  std::string error{};  // what went wrong, with Stop::error
  std::optional<Usage> usage{};
  std::vector<Transformation> transformed{};  // of the request it answers
  std::int64_t duration_ms = 0;
  std::int64_t first_token_ms = 0;  // from the request to its first word; 0: not known
  Seals seals = Seals::good;        // only in memory, while a request is made
  bool operator==(const Message&) const = default;
};

Message user_message(std::string text);
// A message of the user's own.
bool is_prompt(const Message& message);
// The Text blocks joined, as paragraphs where something else came between them; without thinking,
// calls and images.
std::string plain_text(const Message& message);
std::string plain_text(const ToolResult& result);

// The block by which a file is attached to a message of the user's.
Text attachment_text(const std::string& name, const std::string& body);
// The words of a message without its attached files, and the names of these.
std::string words_alone(const Message& message);
std::vector<std::string> attached_names(const Message& message);
std::vector<const ToolUse*> tool_uses(const Message& message);

std::string_view name(Role role);
std::string_view name(Stop stop);

// The payload of a `message` entry. Unknown blocks come back as Opaque, unknown members are
// ignored; nullopt if it is not a message at all.
JsonText to_json(const Message& message);
std::optional<Message> message_from_json(std::string_view payload);

// What to say about an answer that did not end normally, in the terminal and in print mode
// alike.
struct Ending {
  std::string text{};      // empty: all is well, or the user wanted it so
  bool can_go_on = false;  // asking the model to go on makes sense
  bool operator==(const Ending&) const = default;
};

// `error` is what the provider said about it.
Ending ending_of(Stop stop, std::string_view error, bool empty);

// A message with an image, or words that are more than white space.
bool says_something(const Message& message);
// An answer that says nothing: no words, no image, no call.
bool is_empty_answer(const Message& reply);

// A tool as a model sees it.
struct ToolSpec {
  std::string name;
  std::string description;
  JsonText schema;  // JSON Schema of the input object
  bool operator==(const ToolSpec&) const = default;
};

// How the result of a call begins that the user did not allow; and whether one does.
inline constexpr std::string_view refusal_opening = "the user said no";
bool was_refused(const ToolResult& result);
// "refused", with the reason if one was given, as it is said to people.
std::string refusal_words(const ToolResult& result);

}  // namespace skein::model
