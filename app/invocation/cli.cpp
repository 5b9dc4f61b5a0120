#include "app/invocation/cli.h"

#include <CLI/CLI.hpp>
#include <sstream>

#include "app/config/keys.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"

namespace skein::app {

namespace {

// How many arguments "KEY [TITLE]" or "[KEY…]" mean.
struct Arity {
  std::size_t least = 0, most = 0;
};
Arity arity_of(std::string_view arguments) {
  Arity arity;
  for (const std::string_view word : split(arguments, ' ')) {
    if (!word.starts_with('[')) ++arity.least;
    arity.most = word.find("…") != std::string_view::npos ? 1'000'000 : arity.most + 1;
  }
  return arity;
}

// "[TITLE]" → "TITLE", "TEXT:{auto,always}" → "auto|always"
std::string value_word(std::string_view type) {
  if (type.starts_with('[')) return std::string(trimmed(type, "[]"));
  const std::size_t open = type.find('{');
  std::string word(
      open == std::string_view::npos ? type : type.substr(open + 1, type.find('}') - open - 1));
  std::ranges::replace(word, ',', '|');
  return word;
}

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
  for (const OptionRow& flag : row.flags) {
    const std::string& known_as = flag.names.back();
    const std::string names = (flag.names.size() > 1 ? flag.names.front() + "," : "") + known_as;
    if (flag.value.empty())
      sub->add_flag(names, into.given[known_as], flag.help);
    else
      sub->add_option(names, into.values[known_as], flag.help)->option_text(flag.value);
  }
}

std::string_view first_of(const Subcommand& row) { return row.name.substr(0, row.name.find(' ')); }

bool is_subcommand(std::string_view word) {
  return std::ranges::any_of(subcommands(),
                             [&](const Subcommand& row) { return first_of(row) == word; });
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
std::size_t first_plain_word(const CLI::App& app, std::span<const std::string> arguments) {
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

// The words behind `--`, where the subcommand at `at` needs none of it: CLI11 would take the -s
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
CLI::Option* add_setting(CLI::App& app, const std::string& flags, Value& into,
                         std::string_view table = {}, std::string_view name = {}) {
  if (name.empty()) name = std::string_view(flags).substr(flags.find("--") + 2);
  const config::Key& key = *config::find_key(table, name);
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
  const std::string_view digits = kind == config::Kind::number ? "0123456789." : "0123456789";
  if (kind == config::Kind::whole || kind == config::Kind::number)
    option->check(CLI::Validator(
        [&key, wrong, digits](std::string& given) {
          const std::optional<double> number = parse_number<double>(given);
          const bool fits = number && given.find_first_not_of(digits) == std::string::npos &&
                            *number >= key.values.least && *number <= key.values.most;
          return fits ? std::string{} : wrong(given);
        },
        ""));
  return option;
}

// Words that mean a subcommand wherever else people type them. Sent to the model they would be paid
// for, and `source <(skein completion bash)` would run what it answers.
constexpr std::string_view reserved =
    "agents eval jobs loop merge plugin prove serve update upgrade "
    "web";

struct Reserved {
  std::string_view word, instead;
};
constexpr Reserved with_advice[] = {
    {"bench", "it was removed; the programs in tests/bench measure how fast skein is"},
    {"key", "`skein login PROVIDER` stores one"},
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
  return why + (why.ends_with('?') ? " To" : "; to") + " send it to the model: skein" +
         joined(before) + " --" + joined(words);
}

int complain(const std::string& sentence) {
  tell_user(sentence);
  return static_cast<int>(ExitStatus::usage);
}

// What options say in other words than the invocation.
struct OptionTexts {
  std::vector<std::string> words{};  // of the prompt
  std::string title{}, resume{}, tools{};
  bool yolo = false;
};

// The options of skein itself, in three parts; what is parsed goes to `invocation` and `said`.
void add_session_options(CLI::App& app, Invocation& invocation, OptionTexts& said) {
  app.set_help_flag("-h,--help", "show this help and exit");
  app.set_version_flag(
      "-v,--version",
      "skein " SKEIN_VERSION + (*commit == '\0' ? "" : " (" + std::string(commit) + ")"),
      "print the version and the commit it was built from, and exit");
  app.add_option("prompt", said.words, "the first message");
  CLI::Option* const print =
      app.add_flag("-p,--print", invocation.print, "run one turn, print the answer, and exit");
  app.add_option(
         "--output-format", invocation.output_format,
         "with -p: print the answer (text, the default), one object at the end, or one per event")
      ->check(CLI::IsMember({"text", "json", "stream-json"}));
  app.add_option("--input-format", invocation.input_format,
                 "stream-json: a program drives skein by JSON on standard input")
      ->check(CLI::IsMember({"text", "stream-json"}));
  app.add_option("--json-schema", invocation.json_schema,
                 "answer with a JSON object of this schema (with -p)")
      ->type_name("JSON");
  app.add_flag("--raw", invocation.raw, "with -p: print the Markdown source, even on a terminal")
      ->needs(print);
  app.add_flag("-c,--continue", invocation.continue_last,
               "continue the session used last in this workspace");
  app.add_option("-n,--new", said.title, "start a new session")
      ->expected(0, 1)
      ->option_text("[TITLE]");
  app.add_option("-s,--session", invocation.session,
                 "open a session by key, id, a prefix of either, or title")
      ->type_name("KEY");
  app.add_option("-r,--resume", said.resume, "choose a session from a list")
      ->expected(0, 1)
      ->option_text("[TEXT]");
  app.add_flag("--fork", invocation.fork,
               "continue in a new session that branches off from the opened one");
  app.add_flag("--no-session", invocation.no_session, "do not save the session");
}

void add_model_options(CLI::App& app, Invocation& invocation, OptionTexts& said) {
  add_setting(app, "-m,--model", invocation.model)->envname("SKEIN_MODEL")->type_name("MODEL");
  app.add_option("--fallback-model", invocation.fallback_model,
                 "the model to use for the rest of a turn when the model fails")
      ->type_name("MODEL");
  app.add_option("--base-url", invocation.base_url,
                 "the address of the model's provider, without /v1");
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
  app.add_option("--tools", said.tools,
                 "offer the model only these of skein's own tools: 'read,grep'; '': none")
      ->type_name("NAMES");
  add_setting(app, "--system-prompt", invocation.system_prompt);
  add_setting(app, "--append-system-prompt", invocation.append_system_prompt);
  add_setting(app, "--max-turns", invocation.max_turns);
  add_setting(app, "--max-usd,--max-budget-usd", invocation.max_usd, "budget", "turn-usd")
      ->type_name("USD");
  add_setting(app, "--time", invocation.time, "budget", "turn-time")->type_name("DURATION");
  app.add_flag("--no-instructions", invocation.no_instructions,
               "do not load AGENTS.md, similar files, or memory");
  app.add_option("--agent", invocation.agent, "use the instructions, tools and model of this agent")
      ->type_name("NAME");
  app.add_option("--agents", invocation.agents,
                 "define more agents for this start: {\"NAME\": {\"description\", \"prompt\", …}}")
      ->type_name("JSON");
  app.add_option("--mcp-config", invocation.mcp_config,
                 "add MCP servers for this start, from a file like .mcp.json")
      ->option_text("FILE")
      ->allow_extra_args(false)
      ->take_all();
  app.add_flag("--strict-mcp-config", invocation.strict_mcp_config,
               "use only the MCP servers of --mcp-config");
  app.add_flag("--no-hooks", invocation.no_hooks, "do not run hooks");
}

void add_place_options(CLI::App& app, Invocation& invocation) {
  app.add_option("-C,--workspace", invocation.workspace,
                 "the folder that tools may use (default: the current one)")
      ->type_name("DIR");
  app.add_option("--add-dir", invocation.add_dirs,
                 "also let tools use this folder; DIR:ro: only read it")
      ->option_text("DIR")
      ->allow_extra_args(false)
      ->take_all();
  add_setting(app, "--home", invocation.home)->envname("SKEIN_HOME");
  add_setting(app, "--color", invocation.color);
  app.add_flag("--screen-reader", invocation.screen_reader, "print plain lines, without animation");
  app.add_flag("-q,--quiet", invocation.quiet, "print no notices");
  app.add_flag("--debug", invocation.debug, "write a detailed log, and print its path");
}

void add_options(CLI::App& app, Invocation& invocation, OptionTexts& said) {
  add_session_options(app, invocation, said);
  add_model_options(app, invocation, said);
  add_place_options(app, invocation);
}

// One of them, as a row.
OptionRow row_of(const CLI::Option& option) {
  OptionRow row;
  row.help = option.get_description();
  row.environment = option.get_envname();
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  if (option.get_items_expected_max() == 0) return row;
  const std::string& text = option.get_option_text();
  row.value_may_be_left_out = text.starts_with('[');
  row.value = value_word(text.empty() ? option.get_type_name() : text);
  return row;
}

// What the parser collected for a subcommand. `more`: what was behind `--`, or found no place,
// which CLI11 takes for the prompt.
void take_subcommand(Invocation& invocation, const Subcommand& row, const CLI::App& parsed,
                     Collected collected, const std::vector<std::string>& more) {
  invocation.subcommand = &row;
  invocation.arguments = std::move(collected.arguments);
  invocation.arguments.insert(invocation.arguments.end(), more.begin(), more.end());
  invocation.prompt.clear();
  for (const auto& [flag, given] : collected.given)
    if (given) invocation.flags[flag] = "";
  for (const auto& [flag, value] : collected.values)
    if (parsed.count(flag) > 0) invocation.flags[flag] = value;
}

// Why they make no sense together; empty: they do.
std::string take_texts(Invocation& invocation, const CLI::App& parsed, const OptionTexts& said) {
  if (parsed.count("--new") > 0) invocation.new_session = said.title;
  if (parsed.count("--tools") > 0) {
    invocation.offered_tools.emplace();
    for (const std::string_view name : split(said.tools, ','))
      if (!trimmed(name).empty()) invocation.offered_tools->emplace_back(trimmed(name));
  }
  invocation.print = invocation.print || invocation.is_driven();
  if (parsed.count("--resume") > 0) invocation.resume = said.resume;
  for (const std::string& word : said.words)
    invocation.prompt += (invocation.prompt.empty() ? "" : " ") + word;
  constexpr std::string_view bypass = "bypassPermissions";
  std::string& mode = invocation.permission_mode;
  if (said.yolo && !mode.empty() && mode != bypass)
    return "-y and --permission-mode " + mode + " contradict each other; leave one of them out";
  if (said.yolo) mode = bypass;
  return {};
}

// `skein sessions --help` shows what `skein help sessions` does.
Invocation help_about(const CLI::App& app) {
  std::string name;
  chosen(app, name);
  Invocation invocation;
  invocation.subcommand = &*std::ranges::find(subcommands(), "help", &Subcommand::name);
  if (!name.empty()) invocation.arguments = {name};
  invocation.flags["--help"] = "";
  return invocation;
}

// CLI11's own statuses (100 …) mean nothing to scripts; ours is 2 for wrong usage.
int exit_status_of(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, trouble;
  const int status = app.exit(error, out, trouble);
  std::fputs(layout::sanitized(out.str()).c_str(), stdout);
  std::fputs(layout::sanitized(trouble.str()).c_str(), stderr);
  return status == 0 ? 0 : static_cast<int>(ExitStatus::usage);
}

}  // namespace

OptionRow::OptionRow(std::string_view option, std::string_view about) : help(about) {
  const std::size_t space = std::min(option.find(' '), option.size());
  for (const std::string_view name : split(option.substr(0, space), ',')) names.emplace_back(name);
  value = trimmed(option.substr(space));
}

void tell_user(std::string_view untrusted) {
  std::fputs((layout::sanitized("skein: " + std::string(untrusted)) + "\n").c_str(), stderr);
}

std::vector<OptionRow> options() {
  CLI::App app;
  Invocation unused;
  OptionTexts said;
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
  OptionTexts said;
  CLI::App app("skein: an agent shell that never loses a word", "skein");
  app.require_subcommand(0, 1);
  add_options(app, invocation, said);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return "skein: " + std::string(error.what()) + "; see `skein --help`\n";
  });

  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (std::optional<TranslatedFlags> client = translated_flags(arguments)) {
    arguments = std::move(client->arguments);
    invocation.client_flags = std::move(client->flags);
  }
  const std::size_t at = first_plain_word(app, arguments);
  // CLI11 gets only those that can be meant: all of them cost a quarter of a
  // millisecond of every start.
  std::vector<Collected> collected(subcommands().size());
  for (std::size_t i = 0; i < collected.size() && at < arguments.size(); ++i)
    if (const Subcommand& row = subcommands()[i]; first_of(row) == arguments[at] && !row.hidden())
      add_subcommand(app, row, collected[i]);
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
  } catch (const CLI::CallForHelp&) {
    return {help_about(app), 0};
  } catch (const CLI::ParseError& error) {
    if (invocation.is_driven()) {  // the program that drives skein reads it
      invocation.client_flags.trouble = error.what();
      return {invocation, 0};
    }
    return {std::nullopt, exit_status_of(app, error)};
  }
  if (const std::string trouble = take_texts(invocation, app, said); !trouble.empty()) {
    if (!invocation.is_driven()) return {std::nullopt, complain(trouble)};
    if (invocation.client_flags.trouble.empty()) invocation.client_flags.trouble = trouble;
  }
  std::string name;
  const CLI::App* sub = chosen(app, name);
  for (std::size_t i = 0; sub != nullptr && i < subcommands().size(); ++i) {
    if (subcommands()[i].name != name) continue;
    std::vector<std::string> more = said.words;
    more.insert(more.end(), behind.begin(), behind.end());
    take_subcommand(invocation, subcommands()[i], *sub, std::move(collected[i]), more);
    if (invocation.arguments.size() > arity_of(subcommands()[i].arguments).most)
      return {std::nullopt, complain(name + " does not take '" + invocation.arguments.back() +
                                     "'; `skein " + name + " --help` shows its arguments")};
  }
  return {invocation, 0};
}

std::vector<std::string_view> choices_in(std::string_view value) {
  const bool capital = std::ranges::any_of(value.substr(0, value.find('|')),
                                           [](char c) { return c >= 'A' && c <= 'Z'; });
  return capital ? std::vector<std::string_view>{} : split(value, '|');
}

}  // namespace skein::app
