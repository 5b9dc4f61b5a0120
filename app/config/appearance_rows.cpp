// How the prompt looks.
#include <algorithm>

#include "app/config/rows.h"
#include "core/text/spelling.h"
#include "repl/layout/style.h"
#include "repl/status/items.h"

namespace skein::config::rows {

namespace {

using enum Key::Workspace;

template <auto member>
bool set_of_statusline(Target& to, const Item& item) {
  take(to.config.statusline.*member, item);
  return true;
}

bool set_status_items(Target& to, const Item& item) {
  const std::vector<std::string_view> known = status::item_names();
  for (const std::string& name : item.list) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string_view meant = nearest(name, known);
    std::string all;
    for (const std::string_view each : known) all += (all.empty() ? "" : ", ") + std::string(each);
    throw Error(
        "statusline.items holds '" + name + "', which is none; " +
            (meant.empty() ? "there are " + all : "did you mean " + std::string(meant) + "?"),
        ExitStatus::usage);
  }
  to.config.statusline.items = item.list;
  return true;
}

bool set_color(Target& to, const Item& item) {
  std::vector<std::string_view> known;
  for (const layout::NamedStyle& each : layout::named_styles()) known.push_back(each.name);
  if (std::ranges::find(known, item.owner) == known.end()) {
    const std::string_view meant = nearest(item.owner, known);
    throw Error("nothing is called colors." + item.owner + "; " +
                    (meant.empty() ? "`skein help config` lists the names"
                                   : "did you mean " + std::string(meant) + "?"),
                ExitStatus::usage);
  }
  to.config.colors[item.owner] = layout::parse_style(item.text);
  return true;
}

constexpr Key color_table[] = {
    {"colors", "", text, "the terminal's own colours", never, "",
     "\"red\", \"bright-blue bold\", \"#ff8800\": one of the sixteen colours or #rrggbb, and bold, "
     "dim, italic, underline. NAME is prompt, own (what you typed), dim, error, warning, success, "
     "accent, heading, title, code, link, keyword, string, number, comment, added or removed",
     set_color},
};

constexpr Key statusline_table[] = {
    {"statusline", "items", words, "model, context, cost, branch, git, cwd", never, "",
     "what stands above the prompt, the most important first: also mode, thinking, title, session, "
     "tokens; []: nothing",
     set_status_items},
    {"statusline", "command", text, "none", never, "",
     "what a shell runs to print up to three lines there instead; JSON on standard input tells it "
     "of the session, in Claude Code's names",
     set_of_statusline<&StatusLineSettings::command>},
    {"statusline", "refresh", number(0, 86400), "0, when something has changed", never, "",
     "seconds after which the command is run again",
     set_of_statusline<&StatusLineSettings::refresh>},
    {"statusline", "timeout", whole(1, 60), "2", never, "", "seconds the command may take",
     set_of_statusline<&StatusLineSettings::timeout>},
};

}  // namespace

std::span<const Key> color_rows() { return color_table; }
std::span<const Key> statusline_rows() { return statusline_table; }

}  // namespace skein::config::rows
