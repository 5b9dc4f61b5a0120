// /web: a page of the web that the user wants the model to have.
#include <algorithm>
#include <cstddef>

#include "core/text/base.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

// The facts about a page and how it begins: enough to see whether it is the right one.
void show_beginning(Session& session, std::string_view text) {
  constexpr std::size_t mark_lines = 2, most_lines = 14, most_bytes = 160;
  const std::vector<std::string_view> lines = split(text, '\n');
  for (std::size_t i = mark_lines; i < std::min(lines.size(), mark_lines + most_lines); ++i) {
    const std::string_view shown = utf8_prefix(lines[i], most_bytes);
    session.screen().print_untrusted("  " + std::string(shown) +
                                     (shown.size() < lines[i].size() ? "…" : "") + "\n");
  }
}

}  // namespace

void fetch_page(Session& session, std::string_view argument) {
  const auto [first, rest] = first_word(trimmed(argument));
  if (first.empty()) throw Error("/web takes a URL, and a question if you have one");
  const std::string url =
      (first.find("://") == std::string_view::npos ? "https://" : "") + std::string(first);
  const std::string question(trimmed(rest));
  const std::string mention = "@\"" + url + "\"";
  session.services().typed(session.id(), url);
  const std::optional<model::Fetched> fetched = session.fetched(url);
  if (!fetched) throw Error("only http:// and https:// are fetched, not " + url);
  show_beginning(session, fetched->text);
  if (!question.empty()) return session.turn(question, mention);
  session.note("A page for what comes next.", mention);
  session.screen().print("the model reads it with your next message\n");
}

}  // namespace skein::commands
