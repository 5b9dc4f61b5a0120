// argv, understood. The only header that speaks of flags; CLI11 itself stays in cli.cpp.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skein::app {

struct Invocation;

// A subcommand: `skein sessions delete KEY…`. Its row is all there is to know about it: the parser,
// --help and the dispatch are functions of the table.
struct Subcommand {
  struct Flag {
    // "--json", or "--reason TEXT" if it takes a value; "-o,--output FILE" is known as --output.
    std::string_view name;
    std::string_view help;
  };
  std::string_view name;       // "append", "sessions delete"
  std::string_view arguments;  // "KEY", "[KEY…]", "KEY TITLE"
  std::string_view help;
  std::vector<Flag> flags;
  int (*run)(const Invocation&);
  // Every other one stops at a configuration that is not understood.
  enum class Config { checked, may_be_broken } config = Config::checked;

  // For scripts of ours: not in --help, and what follows it is no option.
  bool hidden() const { return name.starts_with("__"); }
};
std::span<const Subcommand> subcommands();

struct Invocation {
  std::string prompt{};
  bool print = false;  // -p: one turn, then exit
  std::string output_format = "text";

  // Which session.
  bool continue_last = false;
  std::optional<std::string> new_session{};  // its title, maybe empty
  std::string session{};
  std::optional<std::string> resume{};  // what to look for, maybe empty
  bool fork = false;
  bool no_session = false;

  // Which model, and how it works. Empty: the configuration decides.
  std::string model{};
  std::string base_url{};
  std::string thinking{};
  std::string permission_mode{};
  std::vector<std::string> allowed_tools{};
  std::vector<std::string> disallowed_tools{};
  std::string system_prompt{};
  std::string append_system_prompt{};
  int max_turns = 0;
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

}  // namespace skein::app
