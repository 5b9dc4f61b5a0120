// /remember: something later sessions should know; /memory: what that is, and where it was said.
#include <charconv>

#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/edit/external_editor.h"
#include "repl/layout/table.h"
#include "repl/session/session.h"

namespace skein::commands {

using session::MemoryLine;

namespace {

const MemoryLine& line_numbered(const std::vector<MemoryLine>& lines, std::string_view number) {
  std::size_t wanted = 0;
  const char* const end = number.data() + number.size();
  const auto [rest, failed] = std::from_chars(number.data(), end, wanted);
  if (failed != std::errc{} || rest != end || wanted == 0 || wanted > lines.size())
    throw Error("/memory why takes the number of a line; /memory shows them");
  return lines[wanted - 1];
}

void open_where_said(Session& session, const MemoryLine& line) {
  const std::optional<Id> where = parse_id(line.session), entry = parse_id(line.entry);
  if (!where) throw Error("that line was written by hand; nothing says where it comes from");
  const auto record = session.store().open(*where);
  if (!record) throw Error("the session in which it was said, " + line.session + ", is gone");
  session.screen().print_untrusted("\"" + line.text + "\", said on " + line.date + ":\n");
  entry ? session.open_at(*where, *entry) : session.open(*where);
}

void edit_file(Session& session, bool everywhere) {
  if (session.keyboard() == nullptr) throw Error("an editor needs a terminal");
  const std::string file = session.services().memory_file(everywhere);
  if (file.empty()) throw Error("nothing is kept here, so there is nothing to edit");
  if (!edit::edit_in_place(file, &session.keyboard()->terminal()))
    throw Error("the editor failed; $VISUAL or $EDITOR says which it is");
}

}  // namespace

void remember(Session& session, std::string_view text) {
  const auto [first, rest] = first_word(text);
  const bool everywhere = first == "-g";
  const std::string_view fact = trimmed(everywhere ? rest : text);
  if (fact.empty()) throw Error("/remember takes what to remember; -g: in every project");
  session.services().remember(std::string(fact), everywhere, session.id(),
                              session.conversation().head());
  session.screen().print(std::string("remembered for ") +
                         (everywhere ? "every project" : "this project") +
                         "; the model is told with your next message\n");
}

void show_memory(Session& session, std::string_view argument) {
  const std::vector<MemoryLine> lines = session.services().memory();
  const auto [verb, rest] = first_word(argument);
  if (verb == "why") return open_where_said(session, line_numbered(lines, trimmed(rest)));
  if (verb == "edit") return edit_file(session, trimmed(rest) == "-g");
  if (!verb.empty()) throw Error("/memory takes nothing, why with a number, or edit [-g]");
  if (lines.empty())
    return session.screen().print("Nothing is remembered here yet; /remember keeps a line.\n");
  layout::Table table{
      .columns = {{"", true}, {"line"}, {"for", false, true}, {"said", false, true}}};
  for (const MemoryLine& line : lines)
    table.rows.push_back({std::to_string(table.rows.size() + 1), line.text,
                          line.everywhere ? "every project" : "this project",
                          line.date.empty() ? "by hand" : line.date});
  session.screen().print(
      layout::drawn(table, session.screen().width(), session.screen().look()) +
      "/memory why NUMBER opens where it was said; /memory edit [-g] opens the file.\n");
}

}  // namespace skein::commands
