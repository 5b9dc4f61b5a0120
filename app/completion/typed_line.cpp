#include "app/completion/typed_line.h"

#include <algorithm>

#include "app/home.h"
#include "core/text/text.h"

namespace skein::completion {

using app::OptionRow, app::Subcommand;

namespace {

const Subcommand* subcommand_named(std::string_view name) {
  const auto found = std::ranges::find(app::subcommands(), name, &Subcommand::name);
  return found == app::subcommands().end() || found->hidden() ? nullptr : &*found;
}

class LineReader {
 public:
  TypedLine read(std::span<const std::string> words) {
    if (const std::string home = env("SKEIN_HOME"); app::is_absolute_home(home))
      line_.invocation.home = home;
    for (const std::string& word : words.first(words.size() - 1)) pass(word);
    last(words.back());
    return std::move(line_);
  }

 private:
  // Those of the subcommand come before skein's own, which it takes as well.
  const OptionRow* find(std::string_view name) const {
    for (const auto* rows : {&command_options_, &options_})
      for (const OptionRow& row : *rows)
        if (std::ranges::find(row.names, name) != row.names.end()) return &row;
    return nullptr;
  }

  // The option whose value follows the word `-pm`, or stands in it: `-mfast`.
  const OptionRow* valued(std::string_view word, std::string_view& rest) const {
    if (word.starts_with("--")) {
      const std::size_t equals = word.find('=');
      rest = equals == std::string_view::npos ? "" : word.substr(equals + 1);
      const OptionRow* row = find(word.substr(0, equals));
      return row != nullptr && !row->value.empty() ? row : nullptr;
    }
    for (std::size_t letter = 1; letter < word.size(); ++letter)
      if (const OptionRow* row = find(std::string{'-', word[letter]});
          row != nullptr && !row->value.empty()) {
        rest = word.substr(letter + 1);
        return row;
      }
    return nullptr;
  }

  void keep(const OptionRow& row, std::string_view value) {
    if (row.names.back() == "--home") line_.invocation.home = value;
    if (row.names.back() == "--workspace") line_.invocation.workspace = value;
  }

  void pass(const std::string& word) {
    if (open_ != nullptr && !(open_->value_may_be_left_out && word.starts_with('-'))) {
      keep(*open_, word);
      open_ = nullptr;
      return;
    }
    open_ = nullptr;
    if (ended_ || !word.starts_with('-') || word == "-") return pass_word(word);
    if (word == "--") {
      ended_ = true;
      said_ = said_ || line_.command == nullptr;
      return;
    }
    std::string_view rest;
    const OptionRow* row = valued(word, rest);
    if (row == nullptr) return;
    if (rest.empty() && word.find('=') == std::string::npos)
      open_ = row;
    else
      keep(*row, rest);
  }

  void pass_word(const std::string& word) {
    const std::string name = line_.path.empty() ? word : line_.path + " " + word;
    const Subcommand* deeper = line_.arguments.empty() && !said_ ? subcommand_named(name) : nullptr;
    if (deeper != nullptr) {
      line_.path = name;
      line_.command = deeper;
      command_options_ = app::options_of(*deeper);
    } else {
      said_ = said_ || line_.command == nullptr;
      line_.arguments.push_back(word);
    }
  }

  void is_value_of(const OptionRow& row) {
    line_.what = TypedLine::What::value;
    line_.option = row.names.back();
    line_.value = row.value;
  }

  void last(const std::string& word) {
    line_.given = word;
    if (open_ != nullptr && !(open_->value_may_be_left_out && word.starts_with('-')))
      return is_value_of(*open_);
    if (!ended_ && word.starts_with('-')) {
      std::string_view rest;
      const OptionRow* row = word.find('=') == std::string::npos ? nullptr : valued(word, rest);
      line_.what = TypedLine::What::option;
      if (row == nullptr) return;
      line_.before = word.substr(0, word.size() - rest.size());
      line_.given = rest;
      return is_value_of(*row);
    }
    if (said_) {
      line_.what = TypedLine::What::prompt;
    } else if (line_.command != nullptr) {
      line_.value = argument_word(line_.command->arguments, line_.arguments.size());
    }
  }

  TypedLine line_{};
  std::vector<OptionRow> options_ = app::options(), command_options_{};
  const OptionRow* open_ = nullptr;  // its value comes next
  bool ended_ = false;               // behind --
  bool said_ = false;                // the words are a prompt
};

}  // namespace

TypedLine read_typed_line(std::span<const std::string> words) { return LineReader().read(words); }

std::string argument_word(std::string_view arguments, std::size_t before) {
  const std::vector<std::string_view> places = split(arguments, ' ');
  if (places.empty()) return {};
  const std::string_view last = places.back();
  if (before >= places.size() && last.find("…") == std::string_view::npos) return {};
  std::string word(trimmed(places[std::min(before, places.size() - 1)], "[]"));
  if (const std::size_t more = word.find("…"); more != std::string::npos) word.resize(more);
  return word;
}

}  // namespace skein::completion
