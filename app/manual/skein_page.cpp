#include <algorithm>
#include <string>
#include <vector>

#include "app/manual/pages.h"
#include "app/manual/roff.h"
#include "app/option_row.h"
#include "core/text/text.h"
#include "providers/catalog/catalog.h"

namespace skein::manual {

using app::OptionRow, app::Subcommand;

namespace {

struct Row {
  std::string_view tag, text;
};

constexpr Row variables[] = {
    {"SKEIN_CONFIG", "A configuration file that is read instead of the user's own."},
    {"SKEIN_NO_HISTORY", "If it is set, what is typed at the prompt is not kept for later."},
    {"XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
     "Where the files below are; by default `~/.config`, `~/.local/share`, `~/.local/state` and "
     "`~/.cache`."},
    {"HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY",
     "The proxy that requests go through, and the hosts that are reached without it."},
    {"SSL_CERT_FILE, SSL_CERT_DIR", "The certificates that servers are checked against."},
    {"VISUAL, EDITOR", "The editor in which a message, or what a tool wants to do, is changed."},
    {"NO_COLOR, FORCE_COLOR, TERM", "Whether colours are used, unless `--color` says so."},
    {"SOURCE_DATE_EPOCH", "The date on the manual pages that `skein help --man` prints."},
};

constexpr Row places[] = {
    {"$XDG_CONFIG_HOME/skein/config.toml", "The configuration; see **skein.toml**(5)."},
    {"WORKSPACE/.skein/config.toml", "What the workspace adds to it."},
    {"WORKSPACE/AGENTS.md", "Joins the system prompt; if there is none, `CLAUDE.md` does."},
    {"$XDG_DATA_HOME/skein/",
     "The home of sessions; see **skein-format**(5). `--home` or `SKEIN_HOME` name another."},
    {"$XDG_STATE_HOME/skein/",
     "Input history, rules that sessions were given, logs, and what commands were kept from "
     "leaving behind."},
    {"$XDG_CACHE_HOME/skein/", "What services said of their models. It can be deleted."},
};

constexpr Row statuses[] = {
    {"0", "All is done."},
    {"1",
     "The turn failed, or its answer was cut, filtered, refused or empty; a search found "
     "nothing."},
    {"2", "Wrong usage, or a configuration that is not understood."},
    {"3", "A storage problem. Nothing that was acknowledged is lost."},
    {"4", "There is no such session, or the name fits several."},
    {"5", "The tail was not the expected one, and nothing was appended."},
    {"130", "Interrupted."},
};

struct Example {
  std::string_view text, command;
};
constexpr Example examples[] = {
    {"Go on where you were in this folder:", "skein -c"},
    {"Ask once, with what another program says:", "git diff | skein -p \"write a changelog line\""},
    {"The same for a script, an event a line:",
     "skein -p --output-format stream-json \"list the files\""},
    {"Find what was said, in any session and on any branch:",
     "skein search walrus '\"disk full\"' --since 7d"},
    {"Branch a conversation at an entry:", "skein branch main:cli:user --from 1f2e3d4c"},
    {"Bring in what other programs keep on this machine:", "skein import --dry-run"},
    {"Give a session away as a page, with its secrets masked:", "skein share main:cli:user"},
    {"Complete skein's words in bash; zsh and fish are alike:", "source <(skein completion bash)"},
    {"Say something to the model that is a subcommand, too:", "skein -- help me"},
};

std::string tag_of(const OptionRow& row) {
  std::string tag;
  for (const std::string& name : row.names) tag += (tag.empty() ? "" : ", ") + name;
  if (!row.value.empty())
    tag += row.value_may_be_left_out ? " [" + row.value + "]" : " " + row.value;
  return tag;
}

// Most commands have it, and it needs no words.
bool is_plain_json(const OptionRow& row) {
  return row.names.back() == "--json" && row.help == "print JSON";
}

void add_options(Roff& page, const std::vector<OptionRow>& rows) {
  for (const OptionRow& row : rows) page.term(tag_of(row), sentence(row.help));
}

void add_commands(Roff& page) {
  for (const Subcommand& row : app::subcommands()) {
    if (row.hidden()) continue;
    std::vector<OptionRow> rows = app::options_of(row);
    const bool json = std::erase_if(rows, is_plain_json) > 0;
    page.term("skein " + std::string(row.name) +
                  (row.arguments.empty() ? "" : " " + std::string(row.arguments)) +
                  (json ? " [--json]" : ""),
              sentence(row.help));
    if (rows.empty()) continue;
    page.raw(".RS");
    add_options(page, rows);
    page.raw(".RE");
  }
}

void add_variables(Roff& page) {
  for (const OptionRow& row : app::options())
    if (!row.environment.empty())
      page.term(row.environment, "The same as `" + row.names.back() + "`, which outweighs it.");
  for (const Row& row : variables) page.term(row.tag, row.text);
  const catalog::Catalog catalog;
  std::vector<std::string> keys, addresses;
  const auto add = [](std::vector<std::string>& to, std::string_view variable) {
    if (!variable.empty() && std::ranges::find(to, variable) == to.end()) to.emplace_back(variable);
  };
  for (const catalog::ProviderRow& row : catalog.providers()) {
    for (const std::string_view variable : row.key_variables) add(keys, variable);
    add(addresses, row.base_url_variable);
  }
  page.term(listed(keys),
            "The keys of these providers. skein takes them out of the environment at once, so that "
            "no command it runs sees them, and writes them to no file.");
  page.term(listed(addresses), "Where these providers are, without `/v1`.");
}

void add_description(Roff& page) {
  page.paragraph(
      "skein is an agent shell for the terminal. You talk to a language model at a prompt and let "
      "it read, search, edit and run things in your workspace. You quit, come back days later and "
      "go on exactly where you were; you branch a conversation like git and hand it from one "
      "model to another. Every message, call and result is on disk before it is shown as saved.");
  page.paragraph(
      "Without a subcommand skein opens the prompt, and the words of the command line become its "
      "first message. A bare `skein` continues the session used last in this workspace. With "
      "`-p` it makes one turn, prints the answer and ends; what is piped in joins the prompt. "
      "Only the first word can be a subcommand, and what follows `--` is always said to the "
      "model.");
  page.paragraph(
      "A KEY names a session: its key (`main:cli:user`), its id, the beginning of either, or its "
      "title. A whole key means that session and no other. An ENTRY is an entry's id or its "
      "beginning. A MODEL is `PROVIDER/MODEL` or an alias of the configuration; `offline/demo` "
      "needs no key and no network. A TIME is `7d` (ago), `2026-11-01` or a whole timestamp; an "
      "AGE is `12h`, `30d` or `8w`.");
  page.paragraph(
      "At the prompt `/help` lists the commands, `?` the keys; `Ctrl+C` stops a turn and "
      "`Ctrl+D` leaves.");
}

}  // namespace

std::string skein_page() {
  Roff page("skein", 1, page_date());
  page.name("skein", "an agent shell that never loses a word");
  page.heading("synopsis");
  page.raw(
      ".B skein\n[\\fIoptions\\fR] [\\fIprompt\\fR ...]\n.br\n.B skein \\-p\n[\\fIoptions\\fR] "
      "\\fIprompt\\fR ...\n.br\n.B skein\n\\fIcommand\\fR [\\fIarguments\\fR]");
  page.heading("description");
  add_description(page);
  page.heading("options");
  add_options(page, app::options());
  page.heading("commands");
  page.paragraph(
      "Each takes the options above as well, as far as they mean something to it. With `--json` it "
      "prints JSON for a program to read.");
  add_commands(page);
  page.heading("environment");
  add_variables(page);
  page.heading("files");
  for (const Row& row : places) page.term(row.tag, row.text);
  page.heading("exit status");
  for (const Row& row : statuses) page.term(row.tag, row.text);
  page.heading("examples");
  for (const Example& each : examples) {
    page.paragraph(each.text);
    page.code(each.command);
  }
  page.heading("see also");
  page.paragraph("**skein.toml**(5), **skein-format**(5)");
  return page.text();
}

}  // namespace skein::manual
