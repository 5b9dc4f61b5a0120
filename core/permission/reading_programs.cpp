#include "core/permission/reading_programs.h"

#include "core/text/std.h"

#include "core/text/text.h"

namespace skein::permission {

namespace {

struct ReadingProgram {
  std::string_view names;                // with blanks between; or a subcommand of git
  std::string_view letters{}, valued{};  // options of one letter; those that take a value
  std::string_view longs{};              // with `=` at the end: it takes a value
  enum class Shows { names, contents } shows = Shows::names;
  // Goes through whole folders: not, always, or with the letter r or --recursive.
  enum class Walks { no, always, with_r } walks = Walks::no;
  std::size_t most_operands = 1000;
};
using enum ReadingProgram::Shows;
using Walks = ReadingProgram::Walks;

// Left out on purpose: what follows links on its way (-L, -R of grep), what writes (-o), what runs
// a program (--pre, -z, --ext-diff, --textconv, -O, %G in a format), what takes names from a file
// (-f, --files0-from), what never ends (tail -f).
constexpr std::string_view diff_longs =
    "--stat --stat= --shortstat --numstat --name-only --name-status --summary --compact-summary "
    "--patch --no-patch --unified= --word-diff --word-diff= --color --color= --no-color --check "
    "--minimal --patience --histogram --diff-algorithm= --diff-filter= --ignore-all-space "
    "--ignore-space-change --ignore-space-at-eol --ignore-blank-lines --no-ext-diff --no-textconv "
    "--no-renames --find-renames --find-renames= --function-context --relative --raw --abbrev "
    "--abbrev= --full-index --no-prefix --text ";
constexpr std::string_view log_longs =
    "--oneline --graph --all --decorate --decorate= --no-decorate --pretty --pretty= --format= "
    "--max-count= --since= --until= --after= --before= --author= --grep= --committer= --follow "
    "--merges --no-merges --first-parent --reverse --date= --abbrev-commit --branches --tags "
    "--remotes --left-right --topo-order --date-order --no-walk --skip= ";
constexpr std::string_view grep_longs =
    "--include= --exclude= --exclude-dir= --color= --colour= --ignore-case --line-number "
    "--recursive --files-with-matches --files-without-match --count --only-matching "
    "--no-filename --with-filename --word-regexp --line-regexp --invert-match --max-count= "
    "--context= --after-context= --before-context= --regexp= --extended-regexp --fixed-strings "
    "--perl-regexp --basic-regexp --null --text --no-messages --quiet --silent --byte-offset ";
constexpr std::string_view grep_letters = "EFGPiyvwxcLlqoshHnTZzabUIr";

constexpr ReadingProgram programs[] = {
    {"arch groups sleep whoami", ""},
    {"base64", "d", "w", "--decode --wrap=", contents},
    {"basename", "az", "s"},
    {"cat", "AbeEnstTuv", "", "--number --show-all --show-ends --show-tabs --squeeze-blank",
     contents},
    {"cksum rev", "", "", "", contents},
    {"cmp", "bls", "in", "", contents},
    {"column", "tx", "sco", "", contents},
    {"comm", "123z", "", "", contents},
    {"cut", "szn", "bcdf",
     "--delimiter= --fields= --characters= --complement --output-delimiter=", contents},
    {"date", "uR", "d", "--utc --date= --rfc-3339= --iso-8601 --iso-8601="},
    {"df", "ahHiklTP", "", "--human-readable --inodes --local --total --print-type"},
    {"diff", "abBcdeEHiNnpqrstTuwyZ", "CUIFWx",
     "--brief --recursive --unified --unified= --context --context= --side-by-side "
     "--ignore-all-space --ignore-space-change --ignore-case --color --color= "
     "--report-identical-files",
     contents, Walks::with_r},
    {"dirname", "z"},
    {"du", "abchkms0xS", "dt",
     "--max-depth= --human-readable --summarize --all --apparent-size --total --exclude= "
     "--block-size= --bytes"},
    {"expand", "i", "t", "", contents},
    {"file", "bihNr", "", "--mime --brief --mime-type --mime-encoding", contents},
    {"fold", "bs", "w", "", contents},
    {"free", "bkmgh", "", "--human --mega --giga"},
    {"getconf locale which", "a"},
    {"grep egrep fgrep", grep_letters, "eABCm", grep_longs, contents, Walks::with_r},
    {"head tail", "qvz", "nc", "--lines= --bytes= --quiet --verbose", contents},
    {"hexdump", "Cvbcdox", "ns", "", contents},
    {"hostname", "fis", "", "", names, Walks::no, 0},
    {"id", "ugGn"},
    {"join", "i", "12tjaove", "", contents},
    {"ls", "aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ1", "ITw",
     "--all --almost-all --color --color= --full-time --group-directories-first "
     "--human-readable --inode --recursive --reverse --size --sort= --time= --time-style= "
     "--directory --classify --file-type --si --width= --no-group --numeric-uid-gid --format= "
     "--hide= --ignore="},
    {"md5sum sha1sum sha256sum sha512sum", "bt", "", "", contents},
    {"nl", "p", "bdfhilnsvw", "", contents},
    {"nproc", "", "", "--all"},
    {"od", "vbcdox", "AjNtw", "", contents},
    {"paste", "sz", "d", "", contents},
    {"printenv", "0"},
    {"pwd", "LP"},
    {"readlink", "femnqsvz"},
    {"realpath", "emqsz", "", "--relative-to= --relative-base= --no-symlinks"},
    {"rg", "FilnNosSvwxcpHIUPqba0u.", "egtTABCmMjdrE",
     "--files --hidden --no-ignore --no-ignore-vcs --glob= --iglob= --type= --type-not= "
     "--line-number --no-line-number --ignore-case --smart-case --case-sensitive --fixed-strings "
     "--files-with-matches --files-without-match --count --count-matches --only-matching "
     "--word-regexp --line-regexp --invert-match --max-count= --max-depth= --context= "
     "--after-context= --before-context= --regexp= --multiline --multiline-dotall --pcre2 "
     "--color= --heading --no-heading --with-filename --no-filename --json --stats --sort= "
     "--sortr= --trim --vimgrep --column --type-list --no-messages --quiet --text --null "
     "--replace= --max-columns= --max-filesize= --threads= --no-config",
     contents, Walks::always},
    {"seq", "w", "fs"},
    {"sort", "bdfghiMnRrVcCsuz", "kt",
     "--reverse --numeric-sort --unique --key= --field-separator= --human-numeric-sort "
     "--version-sort --ignore-case",
     contents},
    {"stat", "ft", "c", "--format= --printf= --terse --file-system"},
    {"strings", "a", "nt", "", contents},
    {"tac", "br", "s", "", contents},
    {"tr", "cCdst"},
    {"tree", "adfghinpqrstuDFC", "LIP",
     "--dirsfirst --noreport --gitignore --prune --du --filelimit= --charset= --sort="},
    {"tty", "s"},
    {"uname", "asnrvmpio"},
    // Another operand would be written to.
    {"uniq", "cdDiuz", "fsw", "--count --repeated --unique --ignore-case", contents, Walks::no, 1},
    {"uptime", "ps"},
    {"wc", "clmLw", "", "--lines --words --bytes --chars --max-line-length", contents},
    {"xxd", "bepu", "cgls", "", contents, Walks::no, 1},
};

// Their words are nothing but text, to be printed or compared.
constexpr std::string_view text_programs =
    ": [ [[ break continue echo exit expr false printf ps return test true type";

constexpr ReadingProgram git_programs[] = {
    {"blame", "lstfewpbcMC", "L", "--porcelain --line-porcelain --date= --color-lines", contents},
    {"branch", "avr", "",
     "--all --list --remotes --show-current --verbose --sort= --format= --merged --no-merged "
     "--no-color",
     names, Walks::no, 0},
    {"cat-file", "pts", "", "", contents},
    {"describe", "", "",
     "--tags --always --dirty --long --abbrev= --exact-match --all --match= --first-parent"},
    {"diff", "puabwzRMs", "U", "--cached --staged --merge-base --exit-code --quiet --dirstat",
     contents},
    {"grep", "niIlLcwvEFPGhHoq", "eABCm",
     "--line-number --ignore-case --files-with-matches --count --word-regexp --fixed-strings "
     "--extended-regexp --perl-regexp --cached --untracked --heading --break --and --or --not",
     contents, Walks::always},
    {"log", "puabwzRMs", "nSGLU"},
    {"ls-files", "cdmoskuzt", "x",
     "--others --cached --modified --deleted --exclude-standard --stage --full-name "
     "--error-unmatch --directory --no-empty-directory --exclude="},
    {"ls-tree", "rdtlz", "", "--name-only --long --full-tree --full-name --abbrev"},
    {"merge-base", "a", "", "--is-ancestor --all --fork-point"},
    {"reflog", "", "n", "--oneline --max-count= --date= --format=", names, Walks::no, 0},
    {"remote", "v", "", "--verbose", names, Walks::no, 0},
    {"rev-list", "", "n", "--count"},
    {"rev-parse", "q", "",
     "--abbrev-ref --abbrev-ref= --show-toplevel --short --short= --verify --git-dir "
     "--is-inside-work-tree --show-prefix --symbolic-full-name --show-cdup --quiet "
     "--git-common-dir --is-bare-repository"},
    {"shortlog", "snec", "", "--all --no-merges --summary --numbered --email"},
    {"show", "puabwzRMs", "nSGLU", "", contents},
    {"status", "sbz", "u",
     "--short --branch --porcelain --porcelain= --long --ignored --untracked-files "
     "--untracked-files= --show-stash --ahead-behind --no-ahead-behind --renames --no-renames "
     "--column"},
    {"tag", "l", "n", "--list --sort=", names, Walks::no, 0},
};
// Those that also take the options of diff, and of log.
constexpr std::string_view git_diffs = "diff log show", git_logs = "log rev-list show";

// Null: it is not in the table.
const ReadingProgram* row_of(std::span<const ReadingProgram> table, std::string_view name) {
  const auto found = std::ranges::find_if(
      table, [&](const ReadingProgram& row) { return has_word(row.names, name); });
  return found == table.end() ? nullptr : &*found;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Reads a command's options; `operands` are the rest.
struct OptionTable {
  std::string letters{};             // those that stand there
  std::vector<std::string> longs{};  // without their values
  std::vector<std::string> operands{};
  bool understood = true;
};

bool take_letters(OptionTable& out, const ReadingProgram& facts, std::string_view text,
                  bool& value) {
  if (is_number(text)) return true;  // head -20, git log -5
  for (std::size_t i = 0; i < text.size(); ++i) {
    out.letters += text[i];
    if (facts.letters.find(text[i]) != std::string_view::npos) continue;
    if (facts.valued.find(text[i]) == std::string_view::npos) return false;
    value = i + 1 == text.size();
    return true;
  }
  return true;
}

bool takes_long(std::string_view longs, std::string_view argument, bool& value) {
  const std::size_t equals = argument.find('=');
  const std::string name(argument.substr(0, equals));
  if (has_word(longs, name) && equals == std::string_view::npos) return true;
  if (!has_word(longs, name + "=")) return false;
  value = equals == std::string_view::npos;
  return true;
}

OptionTable options_in(const SimpleCommand& command, std::size_t from, const ReadingProgram& facts,
                       const std::vector<std::string_view>& longs) {
  OptionTable out;
  bool value = false, only_operands = false;
  for (std::size_t i = from; i < command.size(); ++i) {
    const std::string_view text = command[i].text;
    if (std::exchange(value, false)) continue;
    if (only_operands || text == "-" || !text.starts_with('-')) {
      out.operands.emplace_back(text);
    } else if (text == "--") {
      only_operands = true;
    } else if (text.starts_with("--")) {
      out.longs.emplace_back(text.substr(0, text.find('=')));
      out.understood &= std::ranges::any_of(
          longs, [&](std::string_view row) { return takes_long(row, text, value); });
    } else {
      out.understood &= take_letters(out, facts, text.substr(1), value);
    }
  }
  out.understood &= out.operands.size() <= facts.most_operands;
  return out;
}

bool has_any(std::string_view letters, std::string_view wanted) {
  return letters.find_first_of(wanted) != std::string_view::npos;
}

bool has_long(const OptionTable& options, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    return std::ranges::find(options.longs, name) != options.longs.end();
  });
}

std::optional<Reading> git_reading(const SimpleCommand& command) {
  std::size_t at = 1;
  while (at < command.size() && has_word("--no-pager --no-optional-locks", command[at].text)) ++at;
  if (at == command.size()) return std::nullopt;
  const std::string_view name = command[at].text;
  const ReadingProgram* const found = row_of(git_programs, name);
  if (found == nullptr) return std::nullopt;
  std::vector<std::string_view> longs{found->longs};
  if (has_word(git_diffs, name)) longs.push_back(diff_longs);
  if (has_word(git_logs, name)) longs.push_back(log_longs);
  OptionTable options = options_in(command, at + 1, *found, longs);
  if (!options.understood) return std::nullopt;
  // A signature is checked by another program.
  for (const ShellWord& word : command)
    if (word.text.find("%G") != std::string::npos) return std::nullopt;
  Reading reading{.contents = found->shows == contents, .git = true};
  if (name == "log")
    reading.contents =
        has_any(options.letters, "puSGLU") ||
        has_long(options, {"--patch", "--unified", "--word-diff", "--function-context", "--check"});
  reading.operands = std::move(options.operands);
  return reading;
}

// Tests, and what it prints; its operands come first. What -exec starts is looked at by itself.
std::optional<Reading> find_reading(const SimpleCommand& command) {
  constexpr std::string_view understood =
      "-name -iname -path -ipath -wholename -regex -iregex -type -maxdepth -mindepth -newer -size "
      "-mtime -mmin -atime -amin -ctime -cmin -empty -executable -readable -writable -perm -user "
      "-group -links -print -print0 -printf -ls -prune -o -or -a -and -not -xdev -mount -depth "
      "-true -false -quit";
  Reading reading;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& text = command[i].text;
    if (text == "-exec") {
      while (++i < command.size() && command[i].text != ";" &&
             !(command[i].text == "+" && command[i - 1].text == "{}")) {
      }
      continue;
    }
    if (text.starts_with('-') && !is_number(std::string_view(text).substr(1)) &&
        !has_word(understood, text))
      return std::nullopt;
    if (!text.starts_with('-')) reading.operands.push_back(text);
  }
  return reading;
}

// A script for sed, of which every command is one of those that print, delete and replace.
class SedScript {
 public:
  explicit SedScript(std::string_view text) : rest_(text) {}

  bool only_prints() {
    while (!rest_.empty()) {
      if (take(" \t\n;{}")) continue;
      if (!address() || (accept(',') && !address())) return false;
      while (take(" \t!")) {
      }
      if (!accept('s') ? !take("pdq=nNgGhHxDP{") : !replaces()) return false;
    }
    return true;
  }

 private:
  bool take(std::string_view any) {
    if (rest_.empty() || any.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool accept(char c) { return take({&c, 1}); }

  // A line's number, the last line, a pattern, or none. False: it cannot be read.
  bool address() {
    if (accept('/')) return text_up_to('/') && (take("I"), true);
    while (take("0123456789$~+")) {
    }
    return true;
  }
  bool replaces() {
    if (rest_.empty() || rest_[0] == '\\' || rest_[0] == '\n') return false;
    const char by = rest_[0];
    rest_.remove_prefix(1);
    if (!text_up_to(by) || !text_up_to(by)) return false;
    while (take("gpiI0123456789")) {
    }
    return rest_.empty() || std::string_view(" \t\n;}").find(rest_[0]) != std::string_view::npos;
  }
  bool text_up_to(char end) {
    while (!rest_.empty() && rest_[0] != end) {
      if (rest_.size() > 1 && rest_[0] == '\\') rest_.remove_prefix(1);
      rest_.remove_prefix(1);
    }
    return accept(end);
  }

  std::string_view rest_;
};

// The word `script` is a program in the command's own language; every word behind it is a file.
std::optional<Reading> with_operands(const SimpleCommand& command, std::size_t script) {
  Reading reading{.contents = true, .script = script};
  for (std::size_t i = script + 1; i < command.size(); ++i) {
    if (command[i].text.starts_with('-')) return std::nullopt;
    reading.operands.push_back(command[i].text);
  }
  return reading;
}

std::optional<Reading> sed_reading(const SimpleCommand& command) {
  std::size_t at = 1;
  while (at < command.size() && has_word("-n -E -r -nE -nr -En -rn", command[at].text)) ++at;
  if (at < command.size() && command[at].text == "-e") ++at;
  if (at == command.size() || !SedScript(command[at].text).only_prints()) return std::nullopt;
  return with_operands(command, at);
}

// What starts programs, reads or writes other files, or calls a function by a text.
bool is_plain_awk(std::string_view script) {
  std::string text(script);
  for (std::size_t at; (at = text.find("||")) != std::string::npos;) text.replace(at, 2, "  ");
  return !has_any_of(text, {"system", "getline", "|", "@", "ARG"}) &&
         !(has_any_of(text, {">"}) && has_any_of(text, {"print"}));
}

std::optional<Reading> awk_reading(const SimpleCommand& command) {
  std::size_t at = 1;
  for (; at < command.size() && command[at].text.starts_with('-'); ++at) {
    const std::string_view text = command[at].text;
    if (text == "-F" || text == "-v")
      ++at;
    else if (!text.starts_with("-F") && !text.starts_with("-v"))
      return std::nullopt;
  }
  if (at >= command.size() || !is_plain_awk(command[at].text)) return std::nullopt;
  return with_operands(command, at);
}

std::optional<Reading> jq_reading(const SimpleCommand& command) {
  constexpr ReadingProgram jq{
      "jq", "rcnesSMCajR", "",
      "--raw-output --compact-output --null-input --exit-status --slurp --sort-keys --tab "
      "--monochrome-output --color-output --ascii-output --join-output --raw-input"};
  Reading reading{.contents = true};
  reading.script = 1;
  while (reading.script < command.size() && command[reading.script].text.starts_with('-'))
    ++reading.script;
  OptionTable options = options_in(command, 1, jq, {jq.longs});
  if (!options.understood || reading.script == command.size()) return std::nullopt;
  const std::string_view filter = command[reading.script].text;
  if (filter != options.operands[0] || has_any_of(filter, {"import", "include"}))
    return std::nullopt;
  options.operands.erase(options.operands.begin());
  reading.operands = std::move(options.operands);
  return reading;
}

// `-v` and `-R` and arithmetic evaluate a variable, which may hold commands; `e` shows what other
// programs have in their environment.
std::optional<Reading> text_reading(const SimpleCommand& command) {
  const std::string_view name = command[0].text;
  const auto has = [&](std::string_view words) {
    return std::ranges::any_of(command,
                               [&](const ShellWord& word) { return has_word(words, word.text); });
  };
  if (has_word("test [ [[", name) && has("-v -R")) return std::nullopt;
  if (name == "[[" && has("-eq -ne -lt -le -gt -ge")) return std::nullopt;
  if (name == "printf" &&
      (command.size() < 2 || command[1].text.find_first_of(std::string_view("-\0", 2)) == 0))
    return std::nullopt;
  if (name == "ps")
    for (std::size_t i = 1; i < command.size(); ++i)
      if (command[i].text.find_first_not_of("-auxwfAlHLTjpo0123456789,=") != std::string::npos &&
          command[i].text != "-e" && command[i].text != "-ef")
        return std::nullopt;
  return Reading{.text = true};
}

struct Special {
  std::string_view names;
  std::optional<Reading> (*read)(const SimpleCommand& command);
};
constexpr Special specials[] = {
    {"git", git_reading}, {"find", find_reading},         {"sed", sed_reading},
    {"jq", jq_reading},   {"awk gawk mawk", awk_reading}, {text_programs, text_reading},
};

}  // namespace

std::optional<Reading> reading_of(const SimpleCommand& command) {
  const std::string_view name = command[0].text;
  for (const Special& special : specials)
    if (has_word(special.names, name)) return special.read(command);
  const ReadingProgram* const found = row_of(programs, name);
  if (found == nullptr) return std::nullopt;
  OptionTable options = options_in(command, 1, *found, {found->longs});
  if (!options.understood) return std::nullopt;
  // `date 01020304` sets the clock.
  if (name == "date" && std::ranges::any_of(options.operands, [](const std::string& operand) {
        return !operand.starts_with('+');
      }))
    return std::nullopt;
  Reading reading{.contents = found->shows == contents};
  reading.walks = found->walks == Walks::always ||
                  (found->walks == Walks::with_r &&
                   (has_any(options.letters, "r") || has_long(options, {"--recursive"})));
  // A glob of rg's own brings back what is hidden or ignored.
  reading.walks_all =
      name != "rg" || has_any(options.letters, "u.g") ||
      has_long(options, {"--hidden", "--no-ignore", "--no-ignore-vcs", "--glob", "--iglob"});
  reading.operands = std::move(options.operands);
  return reading;
}

}  // namespace skein::permission
