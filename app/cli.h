// argv, understood. The only header that speaks of flags; CLI11 itself stays in cli.cpp.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

struct Invocation;

// A subcommand: `skein sessions delete KEY…`. Its row is all there is to know about it: the parser,
// --help and the dispatch are functions of the table.
struct Subcommand {
  struct Flag {
    std::string_view name;  // "--json", or "--reason TEXT" if it takes a value
    std::string_view help;
  };
  std::string_view name;       // "append", "sessions delete"
  std::string_view arguments;  // "KEY", "[KEY…]", "KEY TITLE"
  std::string_view help;
  std::vector<Flag> flags;
  int (*run)(const Invocation&);
};
std::span<const Subcommand> subcommands();

struct Invocation {
  std::string prompt{};
  std::string model{};
  std::string workspace{};
  std::string home{};
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

}  // namespace skein
