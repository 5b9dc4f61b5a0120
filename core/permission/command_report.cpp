#include "core/permission/command_report.h"

#include "core/permission/command_risks.h"
#include "core/permission/reading_programs.h"
#include "core/permission/rule_match.h"
#include "core/shell/program_reader.h"
#include "core/text/pattern.h"
#include "core/text/text.h"

namespace skein::permission {

namespace {

bool is_glob(const ShellWord& word) { return find_unquoted(word, "*?[") != std::string::npos; }

// As Survey::glob takes it; empty: it has more in it than * and ?.
std::string glob_pattern(const ShellWord& word) {
  std::string out;
  for (std::size_t i = 0; i < word.text.size(); ++i) {
    const char c = word.text[i];
    const bool wild = word.literal[i] == '.' && (c == '*' || c == '?');
    if (word.literal[i] == '.' && c == '[') return {};
    if (!wild && std::string_view("*?[\\").find(c) < 4) out += '\\';
    out += c;
  }
  return out;
}

std::string joined(const std::string& folder, std::string_view path) {
  return path.starts_with('/') ? std::string(path) : folder + "/" + std::string(path);
}

// What a command may read: where it may be when it runs, and what it would come across there.
class CommandPlace {
 public:
  explicit CommandPlace(const ReadingPlace& facts) : facts_(facts) {
    if (facts_.locate) top_ = facts_.locate(".").absolute;
  }

  const std::string& top() const { return top_; }  // the workspace
  bool is_installed(const std::string& program) const { return facts_.survey.installed(program); }

  bool is_known() const {  // otherwise nothing can be said of a command
    const model::Survey& survey = facts_.survey;
    return !top_.empty() && survey.installed && survey.glob && survey.secret_in &&
           survey.repository_risk;
  }

  // The folders in which the next command may be. False: one of them is outside.
  bool move(std::vector<std::string> folders) {
    folders_ = std::move(folders);
    return std::ranges::none_of(
        folders_, [&](const std::string& folder) { return facts_.locate(folder).below.empty(); });
  }

  // One without patterns.
  bool may_run(const SimpleCommand& command, const Reading& reading) const {
    for (std::size_t i = 0; i < command.size() && !reading.text; ++i)
      if ((i == 0 || i != reading.script) && !stays_inside(command[i], reading)) return false;
    if (reading.walks && !may_be_searched(reading.operands, reading.walks_all)) return false;
    return !reading.git || is_plain_repository(reading.contents);
  }

  bool stays_inside(const ShellWord& word, const Reading& reading) const {
    return std::ranges::all_of(possible_paths(word.text), [&](std::string_view path) {
      return path.empty() || (may_be_read(std::string(path), reading.contents) &&
                              !(reading.git && reading.contents && is_secret(path)));
    });
  }

  // The command with the files that its patterns find now; nullopt: they are unknown, or one of
  // them is outside. A file may be called like an option, and there may be more of them than a
  // program only reads.
  std::optional<SimpleCommand> with_files(const SimpleCommand& command) const {
    SimpleCommand out;
    for (const ShellWord& word : command) {
      if (!is_glob(word)) {
        out.push_back(word);
        continue;
      }
      const auto files = found(word);
      if (!files || word.text[0] == '-') return std::nullopt;
      for (const std::string& file : *files) {
        if (!may_be_read(file, /*contents=*/false)) return std::nullopt;
        out.push_back({file, std::string(file.size(), 'q')});
      }
      if (files->empty()) out.push_back({word.text, std::string(word.text.size(), 'q')});
    }
    return out;
  }

  // The files that a pattern finds now, as the command would name them; nullopt: too many, or
  // unknown.
  std::optional<std::vector<std::string>> found(const ShellWord& word) const {
    const std::string pattern = glob_pattern(word);
    if (pattern.empty()) return std::nullopt;
    std::vector<std::string> out;
    for (const std::string& folder : folders_) {
      const auto files = facts_.survey.glob(joined(glob_quoted(folder), pattern));
      if (!files) return std::nullopt;
      const std::size_t before = pattern[0] == '/' ? 0 : folder.size() + 1;
      for (const std::string& file : *files) out.push_back(file.substr(before));
    }
    return out;
  }

  bool may_be_read(const std::string& path, bool contents) const {
    if (path == "/dev/null") return true;
    return std::ranges::all_of(folders_, [&](const std::string& folder) {
      const std::string there = joined(folder, path);
      if (is_outside(there, facts_.locate)) return false;
      const model::Located place = facts_.locate(there);
      return !contents || !place.exists || (place.secret.empty() && !facts_.forbidden(there));
    });
  }

  // Also of a file that is gone: git still has it.
  bool is_secret(std::string_view path) const {
    return std::ranges::any_of(folders_, [&](const std::string& folder) {
      return !facts_.locate(joined(folder, path)).secret.empty();
    });
  }

  bool may_be_searched(const std::vector<std::string>& operands, bool all) const {
    if (facts_.some_forbidden) return false;
    return std::ranges::all_of(folders_, [&](const std::string& folder) {
      // The first one is the pattern, or everything is searched.
      if (operands.size() < 2 && !facts_.survey.secret_in(folder, all).empty()) return false;
      return std::ranges::all_of(operands, [&](const std::string& operand) {
        const std::string there = joined(folder, operand);
        return !facts_.locate(there).exists || facts_.survey.secret_in(there, all).empty();
      });
    });
  }

  bool is_plain_repository(bool contents) const {
    if (contents && facts_.some_forbidden) return false;
    return std::ranges::all_of(folders_, [&](const std::string& folder) {
      return facts_.survey.repository_risk(folder, contents).empty();
    });
  }

 private:
  const ReadingPlace& facts_;
  std::string top_{};
  std::vector<std::string> folders_{};
};

using namespace shell;
using Runs = KnownProgram::Runs;

constexpr std::size_t longest_line = 64u << 10;
constexpr std::size_t most_ways = 64;  // to read the words of one command
const std::string unknown_word(1, '\0');

// Programs that start another one and do nothing else, with the options that leave it at that.
struct Starter {
  std::string_view name, options;
  bool of_shell = false;
};
constexpr Starter starters[] = {
    {"command", "-v -V", true},
    {"env", "-i -u --ignore-environment --unset"},
    {"nice", "-n"},
    {"stdbuf", "-i -o -e"},
    {"time", "-p", true},
    {"timeout", "-k -s --foreground --preserve-status"},
    {"xargs", "-0 -r -t -n -L -P -d"},
};

// Part of the shell itself, and harmless whatever their words are; every other program is looked
// up.
constexpr std::string_view of_shell =
    ": [ [[ break continue echo exit false printf pwd return test true type";

// They show how much is in a file that a link leads to, not what.
constexpr std::string_view counters = "wc stat ls file du md5sum sha1sum sha256sum cksum";

// Variables that change how something is shown and nothing else.
bool is_harmless_variable(std::string_view name, std::string_view value) {
  if (value.starts_with('/') || value.find("..") != std::string_view::npos) return false;
  return name.starts_with("LC_") || has_word("LANG TZ COLUMNS LINES NO_COLOR", name);
}

// A variable that means nothing to the shell, and that no program gets to see.
bool is_own_variable(const std::string& name) {
  constexpr std::string_view of_bash =
      "_ DIRSTACK EUID EXECIGNORE FUNCNAME GLOBIGNORE GROUPS HISTCMD LINENO OLDPWD OPTARG OPTERR "
      "OPTIND POSIXLY_CORRECT PPID PWD RANDOM REPLY SECONDS SHLVL SRANDOM TIMEFORMAT TMOUT UID";
  return is_variable_name(name) && !has_word(of_bash, name) && !steers_programs(name + "=") &&
         env(name.c_str()).empty();
}

// Of a file, or of what is open already.
bool is_harmless_write(const ShellCall::Redirection& redirection) {
  const std::string_view target = text_of(redirection.target);
  const bool is_open = target == "-" || target.find_first_not_of("0123456789") == target.npos;
  if (redirection.sign.ends_with('&')) return !target.empty() && is_open;
  return has_word("/dev/null /dev/stdout /dev/stderr", target);
}

// A value of a word; a pattern has its backslashes still.
ShellWord as_shell_word(const std::string& value, bool glob) {
  ShellWord out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool quotes = glob && value[i] == '\\' && i + 1 < value.size();
    out.text += value[quotes ? ++i : i];
    out.literal += glob && !quotes ? '.' : 'q';
  }
  return out;
}

class ReportReader : private ProgramReader {
 public:
  // Without a place nothing is said of what the commands read.
  explicit ReportReader(CommandPlace* place) : place_(place) {}

  void take(std::string_view line) {
    ShellScope scope{.folders = {.texts = {place_ ? place_->top() : "."}}, .assumes_usual = false};
    if (line.size() > longest_line) return cannot_follow(line);
    read_text(line, scope);
  }
  std::vector<SimpleCommand> programs() { return std::move(programs_); }
  std::vector<bool> reads() { return understood_ ? std::move(commands_) : std::vector<bool>{}; }

 private:
  void cannot_follow(std::string_view) override { (in_command_ ? reads_ : understood_) = false; }
  void must(bool reads) { reads_ = reads_ && reads; }

  Values command(const ShellCall& call, ShellScope& scope) override {
    const bool outer = !std::exchange(in_command_, true);
    if (outer) reads_ = true;
    if (place_ != nullptr) look_around(call, scope);
    Values printed = ProgramReader::command(call, scope);
    if (outer) commands_.push_back(reads_);
    in_command_ = !outer;
    return printed;
  }

  // At what is not part of its words.
  void look_around(const ShellCall& call, const ShellScope& scope) {
    must(scope.folders.known && place_->move(scope.folders.texts));
    for (const ShellCall::Redirection& each : call.redirections) {
      const std::string file(text_of(each.target));
      must(each.sign == "<" ? !file.empty() && place_->may_be_read(file, true)
                            : is_harmless_write(each));
    }
    reads_fields_ = !call.words.empty() && text_of(call.words[0]) == "read";
  }

  void assigned(const std::string& name, const Values& value, bool exported) override {
    const bool one = value.known && value.texts.size() == 1;
    if (!exported)
      must(is_own_variable(name));
    else if (!(reads_fields_ && name == "IFS"))
      must(one && is_harmless_variable(name, value.texts[0]));
  }

  Values matches(const Word& pattern, const ShellScope&) override {
    Values out{.known = place_ != nullptr && pattern.values.known};
    for (const std::string& text : pattern.values.texts) {
      const auto found = place_ ? place_->found(as_shell_word(text, true)) : std::nullopt;
      out.add(found ? Values{.texts = *found} : Values::unknown());
    }
    return out;
  }

  Values started(const std::string& name, ShellWords words, ShellScope& scope) override {
    const std::vector<SimpleCommand> ways = ways_to_read(name, words);
    programs_.insert(programs_.end(), ways.begin(), ways.end());
    const KnownProgram* known = known_program(last_name(name));
    if (place_ != nullptr && reads_) must(only_reads(name, known, words, ways, scope));
    if (known == nullptr) return Values::unknown();
    const auto outer = std::exchange(
        found_by_, known->runs == Runs::found ? std::optional(ways.front()) : std::nullopt);
    Values printed = follow(*known, words, scope);
    found_by_ = outer;
    if (known->runs == Runs::folder && place_ != nullptr)
      must(scope.folders.known && place_->move(scope.folders.texts));
    return printed;
  }

  // Each of its words may have several values.
  std::vector<SimpleCommand> ways_to_read(const std::string& name, ShellWords words) const {
    std::vector<SimpleCommand> out{{as_shell_word(name, false)}};
    for (const Word& word : words.subspan(1)) {
      std::vector<ShellWord> values;
      for (const std::string& text : word.values.texts)
        values.push_back(as_shell_word(text, word.glob));
      if (word.written == read_from_process)
        values = {as_shell_word("/dev/null", false)};
      else if (found_by_ && has_word("{} '{}' \"{}\"", word.written))
        values = {as_shell_word("./{}", false)};
      else if (!word.values.known)
        values.push_back(as_shell_word(unknown_word, false));
      if (values.size() * out.size() > most_ways) values = {as_shell_word(unknown_word, false)};
      std::vector<SimpleCommand> longer;
      for (const SimpleCommand& way : out)
        for (const ShellWord& value : values) {
          longer.push_back(way);
          longer.back().push_back(value);
        }
      out = std::move(longer);
    }
    return out;
  }

  bool only_reads(const std::string& name, const KnownProgram* known, ShellWords words,
                  const std::vector<SimpleCommand>& ways, const ShellScope& scope) {
    if (scope.functions.contains(name) && known == nullptr && !reading_of(ways[0])) return true;
    if (name == "cd") return words.size() == 2 && is_plain(words[1]) && env("CDPATH").empty();
    if (name == "read") return reads_into_own(words.subspan(1));
    if (name == "set") return sets_options(words.subspan(1));
    if (name == "sh" || name == "bash")
      return words.size() == 3 && text_of(words[1]) == "-c" && place_->is_installed(name) &&
             (name == "bash" || is_for_every_shell(text_of(words[2])));
    if (const auto* found = std::ranges::find(starters, name, &Starter::name);
        found != std::end(starters))
      return found->of_shell || place_->is_installed(name);
    if ((name == "test" || name == "[") && !tests_known(words.subspan(1))) return false;
    return std::ranges::all_of(ways, [&](const SimpleCommand& way) { return may_run(way); }) &&
           (has_word(of_shell, name) || place_->is_installed(name));
  }

  // In others than bash these are programs and groups, and a `>` in them writes a file.
  static bool is_for_every_shell(std::string_view text) { return !has_any_of(text, {"[[", "(("}); }

  static bool is_plain(const Word& word) {
    const std::string_view text = text_of(word);
    return !text.empty() && !text.starts_with('-');
  }

  static bool reads_into_own(ShellWords words) {
    if (!words.empty() && text_of(words[0]) == "-r") words = words.subspan(1);
    return !words.empty() && std::ranges::all_of(words, [](const Word& word) {
      return is_plain(word) && is_own_variable(std::string(text_of(word)));
    });
  }

  // Something that is not known may be an operator too, unless it is quoted and next to one.
  static bool tests_known(ShellWords words) {
    constexpr std::string_view unary = "-d -e -f -h -L -n -r -s -w -x -z";
    constexpr std::string_view binary = "= == != -eq -ne -lt -le -gt -ge";
    const auto is = [&](std::size_t at, std::string_view operators) {
      return at < words.size() && has_word(operators, text_of(words[at]));
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& written = words[i].written;
      const bool quoted = written.size() > 1 && written.front() == '"' && written.back() == '"';
      if (words[i].values.known) continue;
      if (!quoted || !((i > 0 && (is(i - 1, unary) || is(i - 1, binary))) || is(i + 1, binary)))
        return false;
    }
    return true;
  }

  static bool sets_options(ShellWords words) {
    return !words.empty() && std::ranges::all_of(words, [](const Word& word) {
      const std::string_view text = text_of(word);
      return !text.empty() && has_word("-e -u -eu -o -eo -euo pipefail", text);
    });
  }

  void starts_another(const KnownProgram&, ShellWords words) override {
    if (place_ == nullptr) return;
    const auto* found = std::ranges::find(starters, text_of(words[0]), &Starter::name);
    for (const Word& word : words.subspan(1)) {
      const std::string_view text = text_of(word);
      must(!text.empty() && found != std::end(starters) &&
           (!text.starts_with('-') || has_word(found->options, text)));
    }
  }

  bool may_run(const SimpleCommand& written) const {
    const std::optional<SimpleCommand> command = place_->with_files(written);
    const std::optional<Reading> reading = command ? reading_of(*command) : std::nullopt;
    if (!reading) return false;
    const bool known = std::ranges::none_of(
        *command, [](const ShellWord& word) { return word.text == unknown_word; });
    return (known || reading->text) && place_->may_run(*command, *reading) &&
           (!found_by_ || !reading->contents || may_read_found(written[0].text));
  }

  // What find finds may be anything below its operands, and a link only if it may be no file.
  bool may_read_found(std::string_view program) const {
    const auto has = [&](std::string_view words) {
      return std::ranges::any_of(*found_by_,
                                 [&](const ShellWord& word) { return has_word(words, word.text); });
    };
    const auto type = std::ranges::adjacent_find(*found_by_, [](const auto& a, const auto& b) {
      return a.text == "-type" && b.text == "f";
    });
    const bool only_files = type != found_by_->end() && !has("-o -or ! -not ,");
    const std::optional<Reading> finding = reading_of(*found_by_);
    return finding && (only_files || has_word(counters, program)) &&
           place_->may_be_searched(finding->operands, /*all=*/true);
  }

  // A script in another language, or in a file, is not looked at.
  void run_text(const KnownProgram& by, std::string_view text, ShellWords arguments,
                ShellScope& scope) override {
    if (by.runs == Runs::shell) run_script(text, arguments, scope);
  }

  CommandPlace* place_;
  std::vector<SimpleCommand> programs_{};
  std::vector<bool> commands_{};  // whether each of the line's own only reads
  bool understood_ = true, in_command_ = false, reads_ = true;
  bool reads_fields_ = false;                // the command is `read`
  std::optional<SimpleCommand> found_by_{};  // the find that starts this program
};

}  // namespace

std::vector<SimpleCommand> started_programs(std::string_view line) {
  ReportReader reader(nullptr);
  reader.take(line);
  return reader.programs();
}

std::vector<bool> reading_commands(std::string_view line, const ReadingPlace& facts) {
  CommandPlace place(facts);
  if (!place.is_known()) return {};
  ReportReader reader(&place);
  reader.take(line);
  return reader.reads();
}

}  // namespace skein::permission
