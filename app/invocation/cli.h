// argv, understood. The only header that speaks of flags; CLI11 itself stays in cli.cpp.
#pragma once

#include "app/invocation/client_flags.h"
#include "core/text/base.h"

namespace skein::app {

extern const char* const commit;  // that skein was built from; empty: it is not known

struct Invocation;
struct ClientParts;

// The command line or the configuration makes no sense.
struct UsageError : Error {
  explicit UsageError(const std::string& sentence) : Error(sentence, ExitStatus::usage) {}
};

void tell_user(std::string_view untrusted);  // a line on standard error, sanitized

// An option. There is one table of skein's own, which is read from the parser itself, and one of
// each subcommand.
struct OptionRow {
  OptionRow() = default;
  // "--json", or "--reason TEXT" if it takes a value; "-o,--output FILE" is known as --output.
  OptionRow(std::string_view option, std::string_view about);

  std::vector<std::string> names{};  // "-s", "--session"
  // What is to be given: "KEY", "DIR"; in lower case the choices themselves: "auto|always|never".
  // Empty: nothing.
  std::string value{};
  bool value_may_be_left_out = false;
  std::string help{};
  std::string environment{};  // the variable that does the same
};

// A subcommand: `skein sessions delete KEY…`. Its row is all there is to know about it: the parser,
// --help and the dispatch are functions of the table.
struct Subcommand {
  std::string_view name;       // "append", "sessions delete"
  std::string_view arguments;  // "KEY", "[KEY…]", "KEY TITLE"
  std::string_view help;
  std::span<const OptionRow> flags;
  using Verb = void(const Invocation&);
  using StatusVerb = int(const Invocation&);  // returns the exit status; that of others is 0
  std::variant<Verb*, StatusVerb*> run;
  // Every other one stops at a configuration that is not understood.
  enum class Config { checked, may_be_broken } config = Config::checked;

  // For skein's own scripts: not in --help, and what follows it is no option.
  bool hidden() const { return name.starts_with("__"); }
};
std::span<const Subcommand> subcommands();

struct Invocation {
  std::string prompt{};
  bool print = false;  // -p: one turn, then exit
  std::string output_format = "text";
  std::string input_format = "text";  // stream-json: a program drives skein
  ClientFlags client_flags{};
  const ClientParts* client = nullptr;  // what it brings; null: it brings nothing, or there is none
  std::string json_schema{};            // of the answer; empty: it is a text

  // Which session.
  bool continue_last = false;
  std::optional<std::string> new_session{};  // its title, maybe empty
  std::string session{};
  std::optional<std::string> resume{};  // what to look for, maybe empty
  bool fork = false;
  bool no_session = false;

  // Which model, and how it works. Empty: the configuration decides.
  std::string model{};
  std::string fallback_model{};
  std::string base_url{};
  std::string thinking{};
  std::string permission_mode{};
  std::vector<std::string> allowed_tools{};
  std::vector<std::string> disallowed_tools{};
  std::string system_prompt{};
  std::string append_system_prompt{};
  std::optional<std::vector<std::string>> offered_tools{};  // none: all of skein's own
  int max_turns = 0;
  std::optional<double> max_usd{};  // 0: no limit
  std::string time{};               // "90s"
  bool no_instructions = false;
  std::string agent{};                    // as which one to work; empty: as none
  std::string agents{};                   // definitions of further ones, as JSON
  std::vector<std::string> mcp_config{};  // files that name servers
  bool strict_mcp_config = false;
  bool no_hooks = false;

  std::string workspace{};
  std::vector<std::string> add_dirs{};  // DIR or DIR:ro
  std::string home{};
  std::string color{};  // empty: the configuration decides
  bool screen_reader = false;
  bool quiet = false;
  bool raw = false;  // -p: Markdown is left as it is
  bool debug = false;

  const Subcommand* subcommand = nullptr;  // none: the REPL
  std::vector<std::string> arguments{};
  std::map<std::string, std::string, std::less<>> flags{};  // those given; "" if it takes no value

  bool is_driven() const { return input_format == "stream-json"; }
  bool has(std::string_view flag) const { return flags.contains(flag); }
  std::string value(std::string_view flag) const {
    const auto found = flags.find(flag);
    return found == flags.end() ? std::string{} : found->second;
  }
};

// The invocation, or the exit status when argv asked for help, the version, or made no sense (what
// there is to say has then been said).
struct Parsed {
  std::optional<Invocation> invocation{};
  int status = 0;
};
Parsed parse_command_line(int argc, const char* const* argv);

std::vector<OptionRow> options();  // of skein itself, in the order of --help

// The choices of a value word; none if it means something else.
std::vector<std::string_view> choices_in(std::string_view value);

}  // namespace skein::app
