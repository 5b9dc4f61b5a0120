#include "app/manual/pages.h"

#include "app/config/keys.h"
#include "core/text/text.h"
#include "providers/catalog/catalog.h"
#include "repl/commands/table.h"
#include "repl/terminal/key_map.h"

namespace skein::manual {

using app::OptionRow, app::Subcommand, config::Key;

namespace {

// "one turn, then exit" → "One turn, then exit."
std::string sentence(std::string_view text) {
  std::string out(trimmed(text));
  const std::string_view first = std::string_view(out).substr(0, out.find_first_of(" ,;:"));
  const bool plain =
      first.find_first_not_of("abcdefghijklmnopqrstuvwxyz'") == std::string_view::npos;
  const bool names_itself = out.find(": ") == first.size();  // "text: a model sees …"
  if (plain && !names_itself) out = capitalized(out);
  if (!out.empty() && !out.ends_with('.') && !out.ends_with('?')) out += '.';
  return out;
}

std::string item(std::string_view tag, std::string_view text) {
  return "- `" + std::string(tag) + "`: " + std::string(text) + "\n";
}

std::string option_list(std::span<const OptionRow> rows) {
  std::string out;
  for (const OptionRow& row : rows) out += item(tag_of(row), sentence(row.help));
  return out;
}

std::string options() { return option_list(app::options()); }

std::string environment() {
  std::string out;
  for (const OptionRow& row : app::options())
    if (!row.environment.empty())
      out += item(row.environment, "The same as `" + row.names.back() + "`, which overrides it.");
  const catalog::Catalog catalog;
  std::vector<std::string> keys, addresses;
  const auto add = [](std::vector<std::string>& to, std::string_view variable) {
    if (!variable.empty() && std::ranges::find(to, variable) == to.end()) to.emplace_back(variable);
  };
  for (const catalog::ProviderRow& row : catalog.providers()) {
    for (const std::string_view variable : row.key_variables) add(keys, variable);
    add(addresses, row.base_url_variable);
  }
  return out + item(listed(keys), "The keys of these providers.") +
         item(listed(addresses), "The addresses of these providers, without `/v1`.");
}

// By Key::Workspace.
constexpr std::string_view what_workspace_may[] = {
    " A workspace cannot set it.", " A workspace may only tighten it.",
    " In a workspace it counts once that is trusted."};

std::string configuration_keys() {
  std::string out;
  std::string_view under;
  for (const Key& key : config::keys()) {
    const std::string name = key.name.empty() ? "NAME" : std::string(key.name);
    if (key.table != under)
      out += "\n### " + std::string(config::find_table(under = key.table)->heading) + "\n\n";
    const bool flag =
        key.table.empty() && std::ranges::any_of(app::options(), [&](const OptionRow& row) {
          return row.names.back() == "--" + name;
        });
    out += item(name + " = " + config::sample(key),
                sentence(key.meaning) + " Default: " + std::string(key.otherwise) + "." +
                    (flag ? " `--" + name + "` does the same for one start." : "") +
                    std::string(what_workspace_may[static_cast<std::size_t>(key.workspace)]));
  }
  return out;
}

std::string slash_commands() {
  std::string out;
  for (std::size_t group = 0; group < std::size(commands::group_titles); ++group) {
    out += "\n### " + std::string(commands::group_titles[group]) + "\n\n";
    for (const commands::Command& row : commands::commands())
      if (row.listing.group == commands::HelpGroup{static_cast<int>(group)})
        out += item("/" + std::string(row.name) + (row.arguments.empty() ? "" : " ") +
                        std::string(row.arguments),
                    sentence(row.help));
  }
  return out;
}

std::string keys() {
  std::string out = "| action | keys | effect |\n|---|---|---|\n";
  for (const terminal::KeyRow& row : terminal::key_rows())
    if (row.action != terminal::Action::none)
      out += "| `" + std::string(row.name) + "` | " + terminal::usual_keys().shown(row) + " | " +
             std::string(row.words) + " |\n";
  return out;
}

// Lines of a page that are replaced.
struct TableComment {
  std::string_view line;
  std::string (*table)();
};
constexpr TableComment tables[] = {
    {"<!-- options -->", options},
    {"<!-- environment -->", environment},
    {"<!-- configuration keys -->", configuration_keys},
    {"<!-- slash commands -->", slash_commands},
    {"<!-- keys -->", keys},
};

// What the page of all commands has below the heading of one.
std::string about(std::string_view command) {
  const auto row = std::ranges::find(app::subcommands(), command, &Subcommand::name);
  if (row == app::subcommands().end()) return {};
  const std::string options = option_list(row->flags);
  return "\n`skein " + std::string(row->name) + (row->arguments.empty() ? "" : " ") +
         std::string(row->arguments) + "`: " + sentence(row->help) + "\n" +
         (options.empty() ? "" : "\n" + options);
}

// Neither empty nor a heading, a row of a table, a quotation or a comment.
bool is_prose(std::string_view text) {
  return !text.empty() && std::string_view("#|>").find(text[0]) == std::string_view::npos &&
         !text.starts_with("<!--");
}

// "- " and "1. "
bool begins_item(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return text.starts_with("- ") || text.starts_with("* ") ||
         (digits > 0 && text.substr(digits).starts_with(". "));
}

// [models](models.md) in the words that open it.
std::string with_links(std::string_view line, LinkForm links) {
  std::string out(line);
  for (std::size_t at = 0; (at = out.find("](", at)) != std::string::npos; ++at) {
    const std::size_t end = out.find(')', at), start = out.rfind('[', at);
    if (end == std::string::npos || start == std::string::npos) break;
    const std::string path = out.substr(at + 2, end - at - 2);
    const std::size_t name = path.rfind('/') + 1;
    if (!path.ends_with(".md")) continue;
    const Page* const page = find_page(lower(path.substr(name, path.size() - name - 3)));
    if (page == nullptr) continue;
    const std::string text = out.substr(start + 1, at - start - 1);
    const std::string where = links == LinkForm::man
                                  ? "**" + man_name(*page) + "**"
                                  : "`skein help " + std::string(page->name) + "`";
    out.replace(start, end + 1 - start, text == page->name ? where : text + " (" + where + ")");
  }
  return out;
}

}  // namespace

std::string_view Page::title() const { return trimmed(text.substr(0, text.find('\n')), "# "); }

const Page* find_page(std::string_view name) {
  const auto found = std::ranges::find(pages(), name, &Page::name);
  return found == pages().end() ? nullptr : &*found;
}

std::string markdown(const Page& page, LinkForm links) {
  std::string out;
  bool code = false;
  for (const std::string_view line : split(page.text, '\n')) {
    code = code != line.starts_with("```");
    const auto table = std::ranges::find(tables, line, &TableComment::line);
    if (code || line.starts_with("```")) {
      out += std::string(line) + "\n";
    } else if (table != std::end(tables)) {
      if (out.ends_with("\n\n")) out.pop_back();
      out += "\n" + std::string(trimmed(table->table(), "\n")) + "\n";
    } else if (line.starts_with("![")) {
      if (out.ends_with("\n\n")) out.pop_back();  // one empty line stays where the picture was
    } else {
      out += with_links(line, links) + "\n";
      if (line.starts_with("### ")) out += about(line.substr(4));
    }
  }
  return out;
}

std::string flowing(std::string_view document) {
  std::string out;
  bool code = false, open = false;
  for (const std::string_view line : split(trimmed(document, "\n"), '\n')) {
    const std::string_view text = trimmed(line);
    const bool fence = text.starts_with("```");
    code = code != fence;
    const bool prose = !code && !fence && is_prose(text);
    if (open && prose && !begins_item(text))
      out.back() = ' ';
    else
      open = false;
    out += std::string(open ? text : line) + "\n";
    open = prose;
  }
  return out;
}

}  // namespace skein::manual
