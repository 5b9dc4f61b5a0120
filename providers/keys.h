// Keys: where they come from, and how they are kept from going anywhere else.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skein::providers {

// The first line that a command prints, run through /bin/sh. Throws Error, which does not quote the
// command: it may hold a secret itself.
std::string first_line_of(const std::string& command);

class Keyring {
 public:
  // Moves these variables from the environment into memory: from here on neither a child process
  // nor /proc/<pid>/environ shows them.
  void take_environment(const std::vector<std::string>& variables);

  // The value of the first of `variables` that had one; else the first line that `command` prints
  // (run once, through /bin/sh). nullopt: there is no key. Throws if the command fails.
  std::optional<std::string> find(const std::vector<std::string>& variables,
                                  const std::string& command);

  // Whether one of `variables` had a value; runs nothing.
  bool has_any(const std::vector<std::string>& variables) const;

  // Every key it knows, for mask_secrets.
  const std::vector<std::string>& secrets() const { return secrets_; }

 private:
  void remember(const std::string& secret);

  std::map<std::string, std::string> taken_{};         // by variable
  std::map<std::string, std::string> from_command_{};  // by command
  std::vector<std::string> secrets_{};
};

inline constexpr std::string_view secret_mask = "[key hidden]";

// `text` with every secret of eight bytes or more replaced by the mask. Shorter ones would make
// holes in ordinary words.
std::string mask_secrets(std::string_view text, const std::vector<std::string>& secrets);

// The same for text that arrives in pieces: what may be the beginning of a secret is held back
// until the next piece, or until `rest`.
class StreamMask {
 public:
  explicit StreamMask(const std::vector<std::string>& secrets) : secrets_(secrets) {}
  std::string feed(std::string_view piece);
  std::string rest();

 private:
  const std::vector<std::string>& secrets_;
  std::string held_{};
};

}  // namespace skein::providers
