// Keys: where they come from, and how they are kept from going anywhere else.
#pragma once

#include "core/text/std.h"

namespace skein::providers {

// Where a key command runs: in front, where it may ask the user at the terminal, or in a process
// group that ends as a whole.
enum class CommandPlace { foreground, own_group };
// The first line that a command prints, a key or a header, run through /bin/sh. `stopped` is asked
// now and then; left out: it may take as long as it likes. Throws Error, which does not quote the
// command: it may hold a secret itself.
std::string first_line_of(const std::string& command, CommandPlace place = CommandPlace::foreground,
                          const std::function<bool()>& stopped = {});

// Keys that the user has stored with `skein login`: a file for each provider that only the user can
// read, in a folder that commands of the model cannot read.
class KeyStore {
 public:
  explicit KeyStore(std::string folder = {})
      : folder_(std::move(folder)) {}         // empty: it keeps none
  bool has(std::string_view provider) const;  // opens nothing
  // These throw Error if the file cannot be read or written, or if others can read it.
  std::optional<std::string> read(std::string_view provider) const;
  void store(std::string_view provider, const std::string& key) const;
  bool remove(std::string_view provider) const;  // false: there was none

 private:
  std::string file_of(std::string_view provider) const;  // empty: it can have none

  std::string folder_;
};

// Where the key of a provider may come from, the first of these that has one.
struct KeySources {
  std::vector<std::string> variables{};
  std::string command{};   // its first line, run once, through /bin/sh
  std::string provider{};  // as the store names it
};

class Keyring {
 public:
  // Moves these variables from the environment into memory: from here on neither a child process
  // nor /proc/<pid>/environ shows them. What another keyring has taken is there for this one too.
  void take_environment(const std::vector<std::string>& variables);
  // A variable that the environment has or had: a keyring may have taken it.
  static std::optional<std::string> variable(const std::string& name);

  void use(KeyStore store) { store_ = std::move(store); }
  const KeyStore& store() const { return store_; }

  // What the user has just typed, before it is stored.
  void give(const std::string& provider, const std::string& key);

  // nullopt: there is no key. Throws if the command or the store fails.
  std::optional<std::string> find(const KeySources& sources);
  // "ANTHROPIC_API_KEY", "key command" or "stored key"; empty: there is none. Runs and reads
  // nothing.
  std::string source(const KeySources& sources) const;
  // Whether it is at hand without a command.
  bool has(const KeySources& sources) const {
    return !source({sources.variables, {}, sources.provider}).empty();
  }

  // Every key it knows, for mask_secrets.
  const std::vector<std::string>& secrets() const { return secrets_; }

 private:
  void remember(const std::string& secret);

  std::map<std::string, std::string> taken_{};         // by variable
  std::map<std::string, std::string> from_command_{};  // by command
  std::map<std::string, std::string> stored_{};        // by provider
  KeyStore store_{};
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
