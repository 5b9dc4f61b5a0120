// /instructions: which files tell the model how to work here, and why; /init: has one written.
// /remember: something later sessions should know; /memory: the list of it, and where it was said.

#include "core/context/beginning.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/edit/external_editor.h"
#include "repl/layout/table.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

struct InstructionLine {
  std::string file, name, why;
  std::int64_t tokens = 0;
};
using MemoryLine = memory::Memory::Numbered;

constexpr const char* init_prompt =
    "Write AGENTS.md for the workspace: what a newcomer to this project must know to work on it. "
    "Look first: the README, the build files, the tests, the continuous integration, "
    "and instructions written for other programs. Say how to build it, how to run all tests and a "
    "single one, how it is laid out, which conventions cannot be seen from one file alone, and "
    "what people trip over. Leave out what everybody knows and what changes every week; say only "
    "what you have found. Stay under a hundred lines. If there is an AGENTS.md already, keep what "
    "is right in it and change only what is wrong or missing.";

std::vector<InstructionLine> all_lines(Session& session) {
  std::vector<InstructionLine> lines;
  if (const instructions::Instructions* const known = session.services().program->instructions())
    for (const auto* list : {&known->documents(), &known->path_rules()})
      for (const instructions::Document& each : *list)
        lines.push_back({each.file, each.shown, each.why, model::tokens_of(each.text)});
  const agent::Conversation& conversation = session.conversation();
  for (const auto& [name, hash] :
       context::instructions_on(conversation.path(), conversation.state().redacted)) {
    const std::string file =
        (std::filesystem::path(session.workspace()) / name).lexically_normal().string();
    const auto known = std::ranges::find(lines, file, &InstructionLine::file);
    if (known == lines.end())
      lines.push_back({file, name, "loaded with a file that was used"});
    else
      known->why += "; such a file was used";
  }
  return lines;
}

// Throws Error if there is no terminal, no file, or the editor fails.
void open_in_editor(Session& session, const std::string& file) {
  if (session.keyboard() == nullptr) throw Error("an editor needs a terminal");
  if (file.empty()) throw Error("this session is not saved, so there is no file to edit");
  if (!edit::edit_in_place(file, &session.keyboard()->terminal()))
    throw Error("the editor failed; choose another with $VISUAL or $EDITOR");
}

void edit_instructions(Session& session, const std::vector<InstructionLine>& lines,
                       std::string_view number) {
  const std::optional<std::size_t> wanted = number_in(number, lines.size());
  if (!wanted)
    throw Error(
        "/instructions NUMBER opens a file in your editor; /instructions shows the numbers");
  open_in_editor(session, lines[*wanted - 1].file);
  session.screen().print("the model gets your changes with your next message\n");
}

const MemoryLine& line_numbered(const std::vector<MemoryLine>& lines, std::string_view number) {
  const std::optional<std::size_t> wanted = number_in(number, lines.size());
  if (!wanted) throw Error("/memory why needs the number of a line; /memory shows them");
  return lines[*wanted - 1];
}

void open_where_said(Session& session, const memory::Note& line) {
  const std::optional<Id> where = parse_id(line.session), entry = parse_id(line.entry);
  if (!where) throw Error("that line was written by hand, so it has no source");
  const auto record = session.store().sessions().open(*where);
  if (!record) throw Error("the session it comes from, " + line.session + ", no longer exists");
  session.screen().print_untrusted("\"" + line.text + "\", said on " + line.date + ":\n");
  entry ? session.open_at(*where, *entry) : session.open(*where);
}

}  // namespace

void show_instructions(Session& session, std::string_view number) {
  const std::vector<InstructionLine> lines = all_lines(session);
  if (!number.empty()) return edit_instructions(session, lines, number);
  if (lines.empty())
    return session.screen().print(
        "No AGENTS.md, CLAUDE.md or rules were found for this workspace; /init writes one.\n");
  layout::Table table{.columns = {{"", true}, {"file"}, {"tokens", true}, {"why"}}};
  for (const InstructionLine& line : lines)
    table.rows.push_back({std::to_string(table.rows.size() + 1), line.name,
                          line.tokens > 0 ? short_count(line.tokens) : "", line.why});
  session.screen().show(table);
  session.screen().print(
      "/instructions NUMBER opens one in your editor; the model gets changes with your next "
      "message.\n");
}

void write_instructions(Session& session, std::string_view focus) {
  session.turn(focus.empty() ? init_prompt
                             : std::string(init_prompt) + "\n\nMind this: " + std::string(focus));
}

void remember(Session& session, std::string_view text) {
  const auto [first, rest] = first_word(text);
  const bool everywhere = first == "-g";
  const std::string_view fact = trimmed(everywhere ? rest : text);
  if (fact.empty()) throw Error("usage: /remember [-g] TEXT; -g: for every project");
  if (const memory::Memory* const memory = session.services().memory) {
    const std::optional<Id> head = session.conversation().head();
    memory->file(everywhere ? memory::Scope::everywhere : memory::Scope::project)
        .add({.text = session.services().models->clean(std::string(fact)),
              .session = to_string(session.id()),
              .entry = head ? to_string(*head) : "",
              .date = now_utc().substr(0, 10)});
  }
  session.screen().print(std::string("remembered for ") +
                         (everywhere ? "every project" : "this project") +
                         "; the model sees it with your next message\n");
}

void show_memory(Session& session, std::string_view argument) {
  const memory::Memory* const memory = session.services().memory;
  const std::vector<MemoryLine> lines = memory ? memory->notes() : std::vector<MemoryLine>{};
  const auto [verb, rest] = first_word(argument);
  if (verb == "why") return open_where_said(session, line_numbered(lines, trimmed(rest)).note);
  const auto wanted = trimmed(rest) == "-g" ? memory::Scope::everywhere : memory::Scope::project;
  if (verb == "edit") return open_in_editor(session, memory ? memory->file(wanted).path() : "");
  if (!verb.empty()) throw Error("usage: /memory, /memory why NUMBER or /memory edit [-g]");
  if (lines.empty())
    return session.screen().print("Nothing is remembered yet; /remember TEXT saves a line.\n");
  layout::Table table{
      .columns = {{"", true}, {"line"}, {"for", false, true}, {"said", false, true}}};
  for (const auto& [scope, note] : lines)
    table.rows.push_back({std::to_string(table.rows.size() + 1), note.text,
                          scope == memory::Scope::everywhere ? "every project" : "this project",
                          note.date.empty() ? "by hand" : note.date});
  session.screen().show(table);
  session.screen().print(
      "/memory why NUMBER opens its source; /memory edit [-g] opens the file.\n");
}

}  // namespace skein::commands
