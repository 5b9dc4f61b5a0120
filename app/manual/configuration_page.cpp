#include "app/config/keys.h"
#include "app/manual/pages.h"
#include "app/manual/roff.h"

namespace skein::manual {

using config::Key;

namespace {

constexpr std::string_view example = R"toml(model = "anthropic/claude-sonnet-5-5"
allowed-tools = ["bash(git status)", "bash(ctest *)"]
disallowed-tools = ["bash(git push *)"]

[aliases]
fast = "openai/gpt-6-luna"

[providers.work]
like = "openai"
url = "https://models.example.com"
key-command = "pass show work/models"

[models."work/large"]
window = 200000
input = 2.5
output = 10
)toml";

std::string_view what_workspace_may(config::Key::Workspace workspace) {
  switch (workspace) {
    case config::Key::Workspace::never: return " A workspace cannot set it.";
    case config::Key::Workspace::tightens: return " A workspace may only tighten it.";
    case config::Key::Workspace::trusted: return " In a workspace it counts once that is trusted.";
  }
  return {};
}

void add_key(Roff& page, const config::Key& key) {
  const std::string name = key.name.empty() ? "NAME" : std::string(key.name);
  std::string text = sentence(key.meaning) + " Default: " + std::string(key.otherwise) + ".";
  if (!key.flag.empty())
    text += " The flag `" + std::string(key.flag) + "` does the same for one start.";
  page.term(name + " = " + config::sample(key),
            text + std::string(what_workspace_may(key.workspace)));
}

}  // namespace

std::string configuration_page() {
  Roff page("skein.toml", 5, page_date());
  page.name("skein.toml", "the configuration of skein, config.toml");
  page.heading("synopsis");
  page.code("$XDG_CONFIG_HOME/skein/config.toml\nWORKSPACE/.skein/config.toml\n");
  page.heading("description");
  page.paragraph(
      "Both files are TOML. What the workspace's file says outweighs the user's own; the "
      "environment outweighs both, and flags outweigh everything. `SKEIN_CONFIG` names another "
      "file in the place of the user's own.");
  page.paragraph(
      "The author of a workspace is not its user: its file may make rules stricter, and sets "
      "models, addresses and key commands only after you have trusted its very text, when skein "
      "asks or with `skein trust`.");
  page.paragraph(
      "A file with a key that does not exist, or with a value that does not fit, is refused with "
      "its line. `skein config check` lists every mistake, `skein config path` says which files "
      "are read, and `skein config get KEY` which value is in force and who gave it.");
  page.heading("keys");
  std::string_view under;
  for (const config::Key& key : config::keys()) {
    if (key.table != under) page.subheading(config::heading(under = key.table));
    add_key(page, key);
  }
  page.heading("values");
  page.term("TEXT", "A text in quotes.");
  page.term("AGE", "A length of time in quotes: `\"12h\"`, `\"30d\"`, `\"8w\"`.");
  page.term("RULES",
            "A rule or a list of them: a tool's name, alone or with a pattern, as in "
            "`[\"read\", \"bash(git status)\"]`.");
  page.term("MODELS", "A list of models: `[\"PROVIDER/MODEL\"]`.");
  page.heading("examples");
  page.code(example);
  page.heading("see also");
  page.paragraph("**skein**(1), **skein-format**(5)");
  return page.text();
}

}  // namespace skein::manual
