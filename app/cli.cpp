#include "app/cli.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <sstream>

#include "core/base.h"
#include "repl/screen/harmless.h"

namespace skein {

namespace {

// How many arguments "KEY [TITLE]" or "[KEY…]" stand for.
struct Arity {
  std::size_t least = 0, most = 0;
};
Arity arity_of(std::string_view arguments) {
  Arity arity;
  std::istringstream words{std::string(arguments)};
  for (std::string word; words >> word;) {
    if (word.front() != '[') ++arity.least;
    arity.most = word.find("…") != std::string::npos ? 1'000'000 : arity.most + 1;
  }
  return arity;
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
  for (const Subcommand::Flag& flag : row.flags) {
    const std::size_t space = flag.name.find(' ');
    const std::string flag_name(flag.name.substr(0, space));
    if (space == std::string_view::npos)
      sub->add_flag(flag_name, into.given[flag_name], std::string(flag.help));
    else
      sub->add_option(flag_name, into.values[flag_name], std::string(flag.help))
          ->option_text(std::string(flag.name.substr(space + 1)));
  }
}

// CLI11 takes a word in brackets for a list and would hand us "a" for "[a]": a guard behind the
// bracket keeps what a person typed whole, and every option takes it away again.
constexpr char guard = '\x1f';
std::vector<std::string> guarded(int argc, const char* const* argv) {
  std::vector<std::string> out;  // last word first, as CLI11 wants it
  for (int i = argc - 1; i > 0; --i)
    if (std::string& word = out.emplace_back(argv[i]); word.ends_with(']')) word += guard;
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

}  // namespace

Parsed parse_command_line(int argc, const char* const* argv) {
  Invocation invocation;
  std::vector<std::string> words;
  CLI::App app("skein: an agent shell that never loses a word", "skein");
  app.require_subcommand(0, 1);
  app.set_version_flag("-v,--version", "skein " SKEIN_VERSION);
  app.add_option("prompt", words, "the first message");
  bool yolo = false;
  std::string title, resume;
  app.add_flag("-p,--print", invocation.print, "one turn, the answer on stdout, then exit");
  app.add_option("--output-format", invocation.output_format, "with -p")
      ->check(CLI::IsMember({"text", "json", "stream-json"}));
  app.add_flag("-c,--continue", invocation.continue_last,
               "the session used last in this workspace");
  CLI::Option* fresh = app.add_option("-n,--new", title, "start a new session")
                           ->expected(0, 1)
                           ->option_text("[TITLE]");
  app.add_option("-s,--session", invocation.session,
                 "a key, an id, a prefix of either, or a title");
  CLI::Option* resuming = app.add_option("-r,--resume", resume, "choose a session from a list")
                              ->expected(0, 1)
                              ->option_text("[TEXT]");
  app.add_flag("--fork", invocation.fork, "go on in a new session that branches off here");
  app.add_flag("--no-session", invocation.no_session, "keep nothing on disk");
  app.add_option("-m,--model", invocation.model, "PROVIDER/MODEL, or an alias")
      ->envname("SKEIN_MODEL");
  app.add_option("--base-url", invocation.base_url, "of the model's provider, without /v1");
  app.add_option("--thinking", invocation.thinking, "how much the model thinks")
      ->check(CLI::IsMember({"off", "low", "medium", "high"}));
  app.add_option("--permission-mode", invocation.permission_mode, "what tools may do unasked")
      ->check(CLI::IsMember({"default", "plan", "acceptEdits", "bypassPermissions"}));
  app.add_flag("-y,--yolo", yolo, "--permission-mode bypassPermissions");
  // One value each time: what follows is the prompt.
  app.add_option("--allowed-tools", invocation.allowed_tools, "e.g. 'read,bash(git status)'")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--disallowed-tools", invocation.disallowed_tools, "stronger than everything else")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--system-prompt", invocation.system_prompt, "instead of the built-in one");
  app.add_option("--append-system-prompt", invocation.append_system_prompt, "behind it");
  app.add_option("--max-turns", invocation.max_turns, "model calls per prompt")
      ->check(CLI::PositiveNumber);
  app.add_option("-C,--workspace", invocation.workspace, "the folder that tools may touch");
  app.add_option("--home", invocation.home, "where sessions live")->envname("SKEIN_HOME");
  app.add_option("--color", invocation.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("--screen-reader", invocation.screen_reader, "plain lines, nothing that moves");
  app.add_flag("-q,--quiet", invocation.quiet, "no notices");
  app.add_flag("--debug", invocation.debug, "write a detailed log");

  std::vector<std::unique_ptr<Collected>> collected;
  for (const Subcommand& row : subcommands())
    add_subcommand(app, row, *collected.emplace_back(std::make_unique<Collected>()));
  take_guards_away(app);
  try {
    app.parse(guarded(argc, argv));
  } catch (const CLI::ParseError& error) {
    // CLI11's own statuses (100 …) mean nothing to scripts; ours is 2 for wrong usage.
    std::ostringstream out, trouble;
    const int status = app.exit(error, out, trouble);
    std::fputs(harmless(out.str()).c_str(), stdout);
    std::fputs(harmless(trouble.str()).c_str(), stderr);
    return {std::nullopt, status == 0 ? 0 : static_cast<int>(Trouble::usage)};
  }
  if (fresh->count() > 0) invocation.new_session = title;
  if (resuming->count() > 0) invocation.resume = resume;
  if (yolo) invocation.permission_mode = "bypassPermissions";
  for (const std::string& word : words)
    invocation.prompt += (invocation.prompt.empty() ? "" : " ") + word;

  std::string name;
  const CLI::App* sub = chosen(app, name);
  for (std::size_t i = 0; sub != nullptr && i < subcommands().size(); ++i) {
    const Subcommand& row = subcommands()[i];
    if (row.name != name) continue;
    invocation.subcommand = &row;
    invocation.arguments = std::move(collected[i]->arguments);
    // What stood behind `--`, or found no place: CLI11 takes it for the prompt.
    invocation.arguments.insert(invocation.arguments.end(), words.begin(), words.end());
    invocation.prompt.clear();
    if (invocation.arguments.size() > arity_of(row.arguments).most) {
      std::fputs(
          harmless("skein " + name + " does not take '" + words.back() + "'; run it with --help\n")
              .c_str(),
          stderr);
      return {std::nullopt, static_cast<int>(Trouble::usage)};
    }
    for (const auto& [flag, given] : collected[i]->given)
      if (given) invocation.flags[flag] = "";
    for (const auto& [flag, value] : collected[i]->values)
      if (sub->count(flag) > 0) invocation.flags[flag] = value;
  }
  return {invocation, 0};
}

}  // namespace skein
