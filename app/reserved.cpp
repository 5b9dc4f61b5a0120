#include "app/reserved.h"

#include <algorithm>
#include <vector>

#include "app/cli.h"
#include "core/text/spelling.h"
#include "core/text/text.h"

namespace skein::app {

namespace {

constexpr std::string_view reserved =
    "acp admin agents bench bisect blame completion eval follow import insights jobs mcp prove "
    "replay rewind search serve share skills sync update upgrade watch";

struct Reserved {
  std::string_view word, instead;
};
constexpr Reserved with_advice[] = {
    {"config", "`skein help config` lists the keys of the configuration"},
    {"export", "`skein sessions show KEY --json` prints a session"},
    {"key", "`/login` in skein says how to give one"},
    {"login", "`/login` in skein says how to give a key"},
    {"logout", "skein keeps no key"},
    {"man", "`skein --help` says how skein is used"},
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
  std::vector<std::string_view> firsts{"help"};
  for (const Subcommand& row : subcommands())
    firsts.push_back(row.name.substr(0, row.name.find(' ')));
  const std::string meant(nearest(words.front(), firsts));
  if (meant.empty() || words.size() == 1) return meant;
  const bool known = std::ranges::any_of(
      subcommands(), [&](const Subcommand& row) { return row.name == meant + " " + words[1]; });
  return known ? meant + " " + words[1] : std::string{};
}

}  // namespace

std::optional<std::string> not_a_prompt(std::span<const std::string> before,
                                        std::span<const std::string> words) {
  if (words.empty()) return std::nullopt;
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

}  // namespace skein::app
