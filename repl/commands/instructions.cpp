// /instructions: which files tell the model how to work here, and why; /init: has one written.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/context/beginning.h"
#include "core/text/amounts.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/edit/external_editor.h"
#include "repl/layout/table.h"
#include "repl/session/session.h"

namespace skein::commands {

using session::InstructionLine;

namespace {

constexpr const char* init_prompt =
    "Write AGENTS.md for the workspace: what somebody who has never seen this project must know to "
    "work on it. Look first: the README, the build files, the tests, the continuous integration, "
    "and instructions written for other programs. Say how to build it, how to run all tests and a "
    "single one, how it is laid out, which conventions cannot be seen from one file alone, and "
    "what people trip over. Leave out what everybody knows and what changes every week; say only "
    "what you have found. Stay under a hundred lines. If there is an AGENTS.md already, keep what "
    "is right in it and change only what is wrong or missing.";

std::vector<InstructionLine> all_lines(Session& session) {
  std::vector<InstructionLine> lines = session.services().instructions();
  const agent::Conversation& conversation = session.conversation();
  for (const auto& [name, hash] :
       context::instructions_on(conversation.path(), conversation.state().redacted)) {
    const std::string file =
        (std::filesystem::path(session.workspace()) / name).lexically_normal().string();
    const auto known = std::ranges::find(lines, file, &InstructionLine::file);
    if (known == lines.end())
      lines.push_back({file, name, "came with a file that was used"});
    else
      known->why += "; one was used";
  }
  return lines;
}

void open_in_editor(Session& session, const std::vector<InstructionLine>& lines,
                    std::string_view number) {
  std::size_t wanted = 0;
  const auto [rest, failed] = std::from_chars(number.data(), number.data() + number.size(), wanted);
  if (failed != std::errc{} || rest != number.data() + number.size() || wanted == 0 ||
      wanted > lines.size())
    throw Error("/instructions takes the number of a file: it opens it in your editor");
  terminal::Terminal* terminal = session.keyboard() ? &session.keyboard()->terminal() : nullptr;
  if (terminal == nullptr) throw Error("an editor needs a terminal");
  if (!edit::edit_in_place(lines[wanted - 1].file, terminal))
    throw Error("the editor failed; $VISUAL or $EDITOR says which it is");
  session.screen().print("if it has changed, the model is told with your next message\n");
}

}  // namespace

void show_instructions(Session& session, std::string_view number) {
  const std::vector<InstructionLine> lines = all_lines(session);
  if (!number.empty()) return open_in_editor(session, lines, number);
  if (lines.empty())
    return session.screen().print(
        "No AGENTS.md, CLAUDE.md or rules were found for this workspace; /init writes one.\n");
  layout::Table table{.columns = {{"", true}, {"file"}, {"tokens", true}, {"why"}}};
  for (const InstructionLine& line : lines)
    table.rows.push_back({std::to_string(table.rows.size() + 1), line.name,
                          line.tokens > 0 ? short_count(line.tokens) : "", line.why});
  session.screen().print(
      layout::drawn(table, session.screen().width(), session.screen().look()) +
      "/instructions NUMBER opens one in your editor; changes are told with your next message.\n");
}

void write_instructions(Session& session, std::string_view focus) {
  session.turn(focus.empty() ? init_prompt
                             : std::string(init_prompt) + "\n\nMind this: " + std::string(focus));
}

}  // namespace skein::commands
