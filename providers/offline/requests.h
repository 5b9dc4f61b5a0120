// The rules of offline/demo that end in a tool call, and how they take a prompt apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "providers/offline/rules.h"

namespace skein::offline {

// A prompt that fits a rule: `rest` is what follows the words that matched, as it was written.
struct Match {
  const model::Context& context;
  std::string_view now;
  std::string_view prompt, rest;
};

// nullopt: the words were there but what they need was not, so another rule may try.
std::optional<RuleReply> list_files(const Match& match);
std::optional<RuleReply> read_file(const Match& match);
std::optional<RuleReply> run_command(const Match& match);
std::optional<RuleReply> find_text(const Match& match);
std::optional<RuleReply> create_file(const Match& match);
std::optional<RuleReply> replace_text(const Match& match);

// Without the quotes and the final punctuation that people put around names.
std::string unquoted(std::string_view text);

}  // namespace skein::offline
