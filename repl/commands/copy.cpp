// Commands that take words out of the conversation: to the clipboard, or onto the screen as they
// came.
#include <optional>

#include "core/model/redaction.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/handlers.h"
#include "repl/screen/markdown/code_blocks.h"
#include "repl/session/session.h"
#include "repl/terminal/clipboard.h"

namespace skein::commands {

namespace {

// The newest thing that `find` finds in an answer, or the `back`-th before it.
std::optional<std::string> newest(
    Session& session, std::size_t back,
    const std::function<std::optional<std::string>(const model::Message&)>& find) {
  std::optional<std::string> out;
  session.conversation().path_until([&](const model::Entry& entry) {
    if (entry.type != model::type::message) return false;
    const auto message = model::message_from_json(
        model::masked(entry, session.conversation().state().redacted).payload);
    if (!message || message->role != model::Role::assistant) return false;
    std::optional<std::string> found = find(*message);
    if (!found || back-- > 0) return false;
    out = std::move(found);
    return true;
  });
  return out;
}

std::optional<std::string> answer_in(const model::Message& message) {
  std::string text = model::plain_text(message);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

// The last command that the model wanted to run in this message.
std::optional<std::string> command_in(Session& session, const model::Message& message) {
  std::optional<std::string> out;
  if (session.services().tools == nullptr) return out;
  for (const model::ToolUse* call : model::tool_uses(message)) {
    const model::Tool* tool = model::find_tool(*session.services().tools, call->name);
    if (tool == nullptr || tool->argument.kind != model::Argument::Kind::command) continue;
    const std::optional<Json> input = parse_json(call->input);
    if (input) out = string_at(*input, tool->argument.name.c_str());
  }
  return out;
}

// One code block of the newest answer that has some: the last, or the n-th.
std::string code_in(Session& session, std::string_view which) {
  const std::optional<std::size_t> wanted = number_in(which);
  if (!which.empty() && !wanted) throw Error("which code block? /copy code 2", ExitStatus::usage);
  std::size_t count = 0;
  const std::optional<std::string> found =
      newest(session, 0, [&](const model::Message& message) -> std::optional<std::string> {
        const auto blocks = screen::markdown::code_blocks(model::plain_text(message));
        if (blocks.empty()) return std::nullopt;
        count = blocks.size();
        const std::size_t at = wanted.value_or(count);
        return at <= count ? blocks[at - 1] : std::string();
      });
  if (!found) throw Error("there is no code block to copy");
  if (found->empty())
    throw Error("the answer has only " + counted(count, "code block"), ExitStatus::usage);
  return *found;
}

std::string what_to_copy(Session& session, std::string_view what) {
  if (what == "code" || what.starts_with("code ")) return code_in(session, trimmed(what.substr(4)));
  if (what == "cmd") {
    const auto found = newest(
        session, 0, [&](const model::Message& message) { return command_in(session, message); });
    if (!found) throw Error("the model has run no command here");
    return *found;
  }
  const std::optional<std::size_t> back = number_in(what.empty() ? "1" : what);
  if (!back) throw Error("copy what? /copy, /copy 2, /copy code [n], /copy cmd", ExitStatus::usage);
  const auto found = newest(session, *back - 1, answer_in);
  if (!found) throw Error("there is no answer to copy");
  return *found;
}

}  // namespace

void copy(Session& session, std::string_view what) {
  const std::string text = what_to_copy(session, trimmed(what));
  session.screen().flush();
  session.screen().print(
      terminal::copy_text(
          text, [&](std::string_view request) { return session.marks().pass_on(request); }) +
      "\n");
}

std::vector<std::string> copy_words(Session&, std::string_view start) {
  std::vector<std::string> out;
  for (const char* word : {"cmd", "code"})
    if (std::string_view(word).starts_with(start)) out.emplace_back(word);
  return out;
}

void expand_last(Session& session, std::string_view) { session.screen().expand_last(); }

void show_raw(Session& session, std::string_view) {
  const auto found = newest(session, 0, answer_in);
  if (!found) throw Error("there is no answer yet");
  session.screen().start_line();
  session.screen().pass_on(*found);
  session.screen().start_line();
}

}  // namespace skein::commands
