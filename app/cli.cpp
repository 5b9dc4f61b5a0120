#include "app/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>

#include "app/config/keys.h"
#include "app/option_row.h"
#include "core/text/base.h"
#include "core/text/spelling.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"

namespace skein::app {

namespace {

struct Collected {
  std::vector<std::string> arguments{};
  std::map<std::string, std::string, std::less<>> values{};
  std::map<std::string, bool, std::less<>> given{};
};

void add_subcommand(CLI::App& app, const Subcommand& row, Collected& into) {
  CLI::App* parent = &app;
  std::string_view name = row.name;
  if (const std::size_t space = name.find(' '); space != std::string_view::npos) {
    parent = app.get_subcommand(std::string(name.substr(0, space)));
    name.remove_prefix(space + 1);
  }
  CLI::App* sub = parent->add_subcommand(std::string(name), std::string(row.help))->fallthrough();
  const Arity arity = arity_of(row.arguments);
  if (arity.most > 0)
    sub->add_option(std::string(row.arguments), into.arguments)
        ->expected(static_cast<int>(arity.least), static_cast<int>(arity.most))
        ->required(arity.least > 0);
  for (const Subcommand::Flag& flag : row.flags) {
    const std::size_t space = flag.name.find(' ');
    const std::string flag_name(flag.name.substr(0, space));  // maybe "-o,--output"
    const std::string known_as = flag_name.substr(flag_name.find(',') + 1);
    if (space == std::string_view::npos)
      sub->add_flag(flag_name, into.given[known_as], std::string(flag.help));
    else
      sub->add_option(flag_name, into.values[known_as], std::string(flag.help))
          ->option_text(std::string(flag.name.substr(space + 1)));
  }
}

std::string_view first_of(const Subcommand& row) { return row.name.substr(0, row.name.find(' ')); }

bool is_subcommand(std::string_view word) {
  return std::ranges::any_of(subcommands(),
                             [&](const Subcommand& row) { return first_of(row) == word; });
}

// --help, -h, or several letters at once with an h among them.
bool wants_help(const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments, [](const std::string& word) {
    return word == "--help" || (word.starts_with('-') && !word.starts_with("--") &&
                                word.find('h') != std::string::npos);
  });
}

// CLI11 takes a word in brackets for a list and would hand us "a" for "[a]": a guard after the
// bracket keeps what was typed whole, and every option removes it again.
constexpr char guard = '\x1f';
// The same for words of a prompt that are the names of subcommands.
enum class Words { of_a_subcommand, of_a_prompt };
std::vector<std::string> guarded(std::span<const std::string> arguments, Words words) {
  std::vector<std::string> out(arguments.rbegin(), arguments.rend());  // as CLI11 wants it
  for (std::string& word : out)
    if (word.ends_with(']') || (words == Words::of_a_prompt && is_subcommand(word))) word += guard;
  return out;
}
void take_guards_away(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() > 0)
      option->transform([](std::string word) {
        if (word.ends_with(guard)) word.pop_back();
        return word;
      });
  for (CLI::App* below : app.get_subcommands([](CLI::App*) { return true; }))
    take_guards_away(*below);
}

// The deepest subcommand that was named.
const CLI::App* chosen(const CLI::App& app, std::string& name) {
  const CLI::App* at = &app;
  for (auto below = at->get_subcommands(); !below.empty(); below = at->get_subcommands()) {
    at = below.front();
    name += (name.empty() ? "" : " ") + at->get_name();
  }
  return at == &app ? nullptr : at;
}

// Where the first word is that is neither an option nor an option's value: it alone decides whether
// a subcommand is meant. The end: there is none, or `--` says that none is meant.
std::size_t first_word(const CLI::App& app, std::span<const std::string> arguments) {
  std::size_t at = 0;
  const auto skip_value_of = [&](const std::string& name) {
    const CLI::Option* option = app.get_option_no_throw(name);
    if (option == nullptr || option->get_items_expected_max() == 0) return false;
    const bool must = option->get_items_expected_min() > 0;
    if (at + 1 < arguments.size() && (must || !arguments[at + 1].starts_with('-'))) ++at;
    return true;
  };
  for (; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if (word == "--") return arguments.size();
    if (!word.starts_with('-') || word == "-") return at;
    if (word.starts_with("--")) {
      skip_value_of(word);  // not that of --name=value: no option has that name
      continue;
    }
    for (std::size_t letter = 1; letter < word.size(); ++letter) {
      const std::string name{'-', word[letter]};
      const CLI::Option* option = app.get_option_no_throw(name);
      if (option != nullptr && option->get_items_expected_max() > 0) {
        if (letter + 1 == word.size()) skip_value_of(name);  // else the rest of the word is it
        break;
      }
    }
  }
  return arguments.size();
}

// What stands behind `--`, where the subcommand at `at` needs none of it: CLI11 would take the -s
// of a -stuff there for our option. It is removed from the arguments.
std::vector<std::string> taken_behind_dashes(std::vector<std::string>& arguments, std::size_t at) {
  const std::string two =
      arguments[at] + (at + 1 < arguments.size() ? " " + arguments[at + 1] : "");
  auto row = std::ranges::find(subcommands(), two, &Subcommand::name);
  if (row == subcommands().end())
    row = std::ranges::find(subcommands(), arguments[at], &Subcommand::name);
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (row == subcommands().end() || dashes == arguments.end()) return {};
  const Arity arity = arity_of(row->arguments);
  if ((arity.least > 0 && !row->arguments.ends_with("…]")) || arity.most == 0) return {};
  std::vector<std::string> out(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return out;
}

// A flag that does for one start what a key of the configuration does for all: said and checked
// from the same row.
template <class Value>
CLI::Option* add_setting(CLI::App& app, const std::string& flags, Value& into) {
  const config::Key& key = config::key_named(std::string_view(flags).substr(flags.find("--") + 2));
  CLI::Option* option = app.add_option(flags, into, std::string(key.meaning));
  const config::Kind kind = key.values.kind;
  const auto wrong = [&key](const std::string& given) {
    return "takes " + expected(key) + ", not '" + given + "'";
  };
  if (kind == config::Kind::choice)
    option->check(CLI::Validator(
        [&key, wrong](std::string& given) {
          return config::is_choice(key, given) ? std::string{} : wrong(given);
        },
        "{" + std::string(key.values.choices) + "}"));
  if (kind == config::Kind::whole)
    option->check(CLI::Validator(
        [&key, wrong](std::string& given) {
          double number = 0;
          const char* end = given.data() + given.size();
          const auto [stopped, failed] = std::from_chars(given.data(), end, number);
          const bool fits = failed == std::errc{} && stopped == end &&
                            given.find_first_not_of("0123456789") == std::string::npos &&
                            number >= key.values.least && number <= key.values.most;
          return fits ? std::string{} : wrong(given);
        },
        ""));
  return option;
}

// Words that mean a subcommand wherever else people type them. Sent to the model they would be paid
// for, and `source <(skein completion bash)` would run what it answers.
constexpr std::string_view reserved =
    "acp agents eval jobs loop merge plugin prove serve update upgrade "
    "web";

struct Reserved {
  std::string_view word, instead;
};
constexpr Reserved with_advice[] = {
    {"key", "`/login` in skein says how to give one"},
    {"login", "`/login` in skein says how to give a key"},
    {"logout", "skein keeps no key"},
    {"man", "`skein help --man` prints the manual page"},
    {"verify", "`skein doctor` looks for damage"},
    {"version", "`skein --version` prints it"},
};

std::string joined(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) out += " " + word;
  return out;
}

// The subcommand that was probably meant; empty: none. Of several words the second must be right,
// or every sentence that begins with a word like one would be refused.
std::string misspelled(std::span<const std::string> words) {
  if (words.front().starts_with('/')) return {};  // a command, or a path
  std::vector<std::string_view> firsts;
  for (const Subcommand& row : subcommands())
    if (!row.hidden()) firsts.push_back(first_of(row));
  const std::string meant(nearest(words.front(), firsts));
  if (meant.empty() || words.size() == 1) return meant;
  const bool known = std::ranges::any_of(
      subcommands(), [&](const Subcommand& row) { return row.name == meant + " " + words[1]; });
  return known ? meant + " " + words[1] : std::string{};
}

// Why `words`, bare words of a command line of which the first is no subcommand, are not taken for
// a prompt; nothing if they are. `before` is what stood in front of them.
std::optional<std::string> not_a_prompt(std::span<const std::string> before,
                                        std::span<const std::string> words) {
  if (words.empty() || words.front().find(' ') != std::string::npos) return std::nullopt;
  const auto row = std::ranges::find(with_advice, words.front(), &Reserved::word);
  const bool known = row != std::end(with_advice) || has_word(reserved, words.front());
  const std::string meant = known ? std::string{} : misspelled(words);
  if (!known && meant.empty()) return std::nullopt;
  std::string why = "there is no subcommand '" + words.front() + "'";
  if (!meant.empty()) why += "; did you mean `skein " + meant + "`?";
  if (row != std::end(with_advice)) why += "; " + std::string(row->instead);
  return why + (why.ends_with('?') ? " To" : "; to") + " say it to the model: skein" +
         joined(before) + " --" + joined(words);
}

int complain(const std::string& sentence) {
  std::fputs((layout::sanitized("skein: " + sentence) + "\n").c_str(), stderr);
  return static_cast<int>(ExitStatus::usage);
}

// What options say in other words than the invocation.
struct Said {
  std::vector<std::string> words{};  // of the prompt
  std::string title{}, resume{};
  bool yolo = false;
};

// The options of skein itself; what is parsed goes to `invocation` and `said`.
void add_options(CLI::App& app, Invocation& invocation, Said& said) {
  app.set_help_flag("-h,--help", "say what there is, and exit");
  app.set_version_flag("-v,--version", "skein " SKEIN_VERSION, "print the version, and exit");
  app.add_option("prompt", said.words, "the first message");
  CLI::Option* const print =
      app.add_flag("-p,--print", invocation.print, "one turn, the answer on stdout, then exit");
  app.add_option("--output-format", invocation.output_format,
                 "with -p: the answer alone, one object at the end, or one for each event")
      ->check(CLI::IsMember({"text", "json", "stream-json"}));
  app.add_flag("--raw", invocation.raw, "with -p: show Markdown as it came, at a terminal too")
      ->needs(print);
  app.add_flag("-c,--continue", invocation.continue_last,
               "go on with the session used last in this workspace");
  app.add_option("-n,--new", said.title, "start a new session")
      ->expected(0, 1)
      ->option_text("[TITLE]");
  app.add_option("-s,--session", invocation.session,
                 "which session: a key, an id, a prefix of either, or a title")
      ->type_name("KEY");
  app.add_option("-r,--resume", said.resume, "choose a session from a list")
      ->expected(0, 1)
      ->option_text("[TEXT]");
  app.add_flag("--fork", invocation.fork, "go on in a new session that branches off here");
  app.add_flag("--no-session", invocation.no_session, "keep nothing on disk");
  add_setting(app, "-m,--model", invocation.model)->envname("SKEIN_MODEL")->type_name("MODEL");
  app.add_option("--base-url", invocation.base_url, "where the model's provider is, without /v1");
  add_setting(app, "--thinking", invocation.thinking);
  add_setting(app, "--permission-mode", invocation.permission_mode);
  app.add_flag("-y,--yolo", said.yolo, "the same as --permission-mode bypassPermissions");
  // One value each time: what follows is the prompt.
  add_setting(app, "--allowed-tools", invocation.allowed_tools)
      ->allow_extra_args(false)
      ->take_all();
  add_setting(app, "--disallowed-tools", invocation.disallowed_tools)
      ->allow_extra_args(false)
      ->take_all();
  add_setting(app, "--system-prompt", invocation.system_prompt);
  add_setting(app, "--append-system-prompt", invocation.append_system_prompt);
  add_setting(app, "--max-turns", invocation.max_turns);
  app.add_flag("--no-instructions", invocation.no_instructions,
               "leave AGENTS.md and its kin, and what is remembered, out");
  app.add_option("--agent", invocation.agent,
                 "work as this agent: with its instructions, its tools and its model")
      ->type_name("NAME");
  app.add_option("--agents", invocation.agents,
                 "further agents for this start: {\"NAME\": {\"description\", \"prompt\", …}}")
      ->type_name("JSON");
  app.add_option("--mcp-config", invocation.mcp_config,
                 "MCP servers for this start, as in .mcp.json")
      ->option_text("FILE")
      ->allow_extra_args(false)
      ->take_all();
  app.add_flag("--strict-mcp-config", invocation.strict_mcp_config, "no other MCP servers");
  app.add_flag("--no-hooks", invocation.no_hooks, "run none of the programs set up as hooks");
  app.add_option("-C,--workspace", invocation.workspace, "the folder that tools may touch")
      ->type_name("DIR");
  app.add_option("--add-dir", invocation.add_dirs,
                 "a further folder that tools may touch; DIR:ro: only read")
      ->option_text("DIR")
      ->allow_extra_args(false)
      ->take_all();
  add_setting(app, "--home", invocation.home)->envname("SKEIN_HOME");
  add_setting(app, "--color", invocation.color);
  app.add_flag("--screen-reader", invocation.screen_reader, "plain lines, nothing that moves");
  app.add_flag("-q,--quiet", invocation.quiet, "no notices");
  app.add_flag("--debug", invocation.debug, "write a detailed log, and say where");
}

// One of them, as a row.
OptionRow row_of(const CLI::Option& option) {
  OptionRow row{.help = option.get_description(), .environment = option.get_envname()};
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  if (option.get_items_expected_max() == 0) return row;
  const std::string& text = option.get_option_text();
  row.value_may_be_left_out = text.starts_with('[');
  row.value = value_word(text.empty() ? option.get_type_name() : text);
  return row;
}

}  // namespace

std::vector<OptionRow> options() {
  CLI::App app;
  Invocation unused;
  Said said;
  add_options(app, unused, said);
  std::vector<OptionRow> rows;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_positional()) rows.push_back(row_of(*option));
  return rows;
}

Parsed parse_command_line(int argc, const char* const* argv) {
  Invocation invocation;
  if (argc > 1)  // written by a shell, which may mean anything by its words
    for (const Subcommand& row : subcommands())
      if (row.hidden() && row.name == argv[1]) {
        invocation.subcommand = &row;
        invocation.arguments.assign(argv + 2, argv + argc);
        return {invocation, 0};
      }
  Said said;
  CLI::App app("skein: an agent shell that never loses a word", "skein");
  app.require_subcommand(0, 1);
  add_options(app, invocation, said);
  app.footer(
      "`skein help config` lists what can be set in $XDG_CONFIG_HOME/skein/config.toml.\n"
      "What follows `--` is said to the model.");
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return "skein: " + std::string(error.what()) + "; `skein --help` says what there is\n";
  });

  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::size_t at = first_word(app, arguments);
  // CLI11 is told only of those that can be meant: of all of them it costs a quarter of a
  // millisecond of every start.
  const bool all = wants_help(arguments);
  std::vector<std::unique_ptr<Collected>> collected;
  for (const Subcommand& row : subcommands()) {
    Collected& into = *collected.emplace_back(std::make_unique<Collected>());
    if (!row.hidden() && (all || (at < arguments.size() && first_of(row) == arguments[at])))
      add_subcommand(app, row, into);
  }
  take_guards_away(app);
  const bool named = at < arguments.size() && is_subcommand(arguments[at]);
  const auto words_from = arguments.begin() + static_cast<std::ptrdiff_t>(at);
  if (!named)
    if (const auto why =
            not_a_prompt({arguments.begin(), words_from}, {words_from, arguments.end()}))
      return {std::nullopt, complain(*why)};
  const std::vector<std::string> behind =
      named ? taken_behind_dashes(arguments, at) : std::vector<std::string>{};
  try {
    app.parse(guarded(arguments, named ? Words::of_a_subcommand : Words::of_a_prompt));
  } catch (const CLI::ParseError& error) {
    // CLI11's own statuses (100 …) mean nothing to scripts; ours is 2 for wrong usage.
    std::ostringstream out, trouble;
    const int status = app.exit(error, out, trouble);
    std::fputs(layout::sanitized(out.str()).c_str(), stdout);
    std::fputs(layout::sanitized(trouble.str()).c_str(), stderr);
    return {std::nullopt, status == 0 ? 0 : static_cast<int>(ExitStatus::usage)};
  }
  if (app.count("--new") > 0) invocation.new_session = said.title;
  if (app.count("--resume") > 0) invocation.resume = said.resume;
  constexpr std::string_view bypass = "bypassPermissions";
  if (const std::string& mode = invocation.permission_mode;
      said.yolo && !mode.empty() && mode != bypass)
    return {std::nullopt, complain("-y and --permission-mode " + mode +
                                   " contradict each other; leave one of them out")};
  if (said.yolo) invocation.permission_mode = bypass;
  for (const std::string& word : said.words)
    invocation.prompt += (invocation.prompt.empty() ? "" : " ") + word;

  std::string name;
  const CLI::App* sub = chosen(app, name);
  for (std::size_t i = 0; sub != nullptr && i < subcommands().size(); ++i) {
    const Subcommand& row = subcommands()[i];
    if (row.name != name) continue;
    invocation.subcommand = &row;
    invocation.arguments = std::move(collected[i]->arguments);
    // What stood behind `--`, or found no place: CLI11 takes it for the prompt.
    invocation.arguments.insert(invocation.arguments.end(), said.words.begin(), said.words.end());
    invocation.arguments.insert(invocation.arguments.end(), behind.begin(), behind.end());
    invocation.prompt.clear();
    if (invocation.arguments.size() > arity_of(row.arguments).most) {
      return {std::nullopt, complain(name + " does not take '" + invocation.arguments.back() +
                                     "'; `skein " + name + " --help` says what it takes")};
    }
    for (const auto& [flag, given] : collected[i]->given)
      if (given) invocation.flags[flag] = "";
    for (const auto& [flag, value] : collected[i]->values)
      if (sub->count(flag) > 0) invocation.flags[flag] = value;
  }
  return {invocation, 0};
}

}  // namespace skein::app
