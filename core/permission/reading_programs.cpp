#include "core/permission/reading_programs.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/text/text.h"

namespace skein::permission {

namespace {

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
    {"basename", "az", "s"},
    {"cat", "AbeEnstTuv", "", "--number --show-all --show-ends --show-tabs --squeeze-blank",
     contents},
    {"cksum", "", "", "", contents},
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
    {"echo", ""},
    {"egrep", grep_letters, "eABCm", grep_longs, contents, Walks::with_r},
    {"false", ""},
    {"fgrep", grep_letters, "eABCm", grep_longs, contents, Walks::with_r},
    {"file", "bihNr", "", "--mime --brief --mime-type --mime-encoding", contents},
    {"grep", grep_letters, "eABCm", grep_longs, contents, Walks::with_r},
    {"head", "qvz", "nc", "--lines= --bytes= --quiet --verbose", contents},
    {"hexdump", "Cvbcdox", "ns", "", contents},
    {"id", "ugGn"},
    {"ls", "aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ1", "ITw",
     "--all --almost-all --color --color= --full-time --group-directories-first "
     "--human-readable --inode --recursive --reverse --size --sort= --time= --time-style= "
     "--directory --classify --file-type --si --width= --no-group --numeric-uid-gid --format= "
     "--hide= --ignore="},
    {"md5sum", "bt", "", "", contents},
    {"nl", "p", "bdfhilnsvw", "", contents},
    {"nproc", "", "", "--all"},
    {"od", "vbcdox", "AjNtw", "", contents},
    {"pwd", "LP"},
    {"readlink", "femnqsvz"},
    {"realpath", "emqsz", "", "--relative-to= --relative-base= --no-symlinks"},
    {"rev", "", "", "", contents},
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
    {"sha1sum", "bt", "", "", contents},
    {"sha256sum", "bt", "", "", contents},
    {"sort", "bdfghiMnRrVcCsuz", "kt",
     "--reverse --numeric-sort --unique --key= --field-separator= --human-numeric-sort "
     "--version-sort --ignore-case",
     contents},
    {"stat", "ft", "c", "--format= --printf= --terse --file-system"},
    {"strings", "a", "nt", "", contents},
    {"tac", "br", "s", "", contents},
    {"tail", "qvz", "nc", "--lines= --bytes= --quiet --verbose", contents},
    {"tr", "cCdst"},
    {"tree", "adfghinpqrstuDFC", "LIP",
     "--dirsfirst --noreport --gitignore --prune --du --filelimit= --charset= --sort="},
    {"true", ""},
    {"uname", "asnrvmpio"},
    // Another operand would be written to.
    {"uniq", "cdDiuz", "fsw", "--count --repeated --unique --ignore-case", contents, Walks::no, 1},
    {"wc", "clmLw", "", "--lines --words --bytes --chars --max-line-length", contents},
    {"which", "a"},
    {"whoami", ""},
};

constexpr std::string_view diff_and_log[] = {diff_longs, log_longs};

struct GitReading {
  ReadingProgram facts;
  bool diffs = false, logs = false;  // takes the options of diff, of log
  std::string_view patch{};          // the letters with which it shows contents; empty: as it says
};
constexpr GitReading git_programs[] = {
    {{"blame", "lstfewpbcMC", "L", "--porcelain --line-porcelain --date= --color-lines", contents}},
    {{"branch", "avr", "",
      "--all --list --remotes --show-current --verbose --sort= --format= --merged --no-merged "
      "--no-color",
      names, Walks::no, 0}},
    {{"cat-file", "pts", "", "", contents}},
    {{"describe", "", "",
      "--tags --always --dirty --long --abbrev= --exact-match --all --match= --first-parent"}},
    {{"diff", "puabwzRMs", "U", "--cached --staged --merge-base --exit-code --quiet --dirstat",
      contents},
     true},
    {{"grep", "niIlLcwvEFPGhHoq", "eABCm",
      "--line-number --ignore-case --files-with-matches --count --word-regexp --fixed-strings "
      "--extended-regexp --perl-regexp --cached --untracked --heading --break --and --or --not",
      contents, Walks::always}},
    {{"log", "puabwzRMs", "nSGLU", "", names}, true, true, "puSGLU"},
    {{"ls-files", "cdmoskuzt", "x",
      "--others --cached --modified --deleted --exclude-standard --stage --full-name "
      "--error-unmatch --directory --no-empty-directory --exclude="}},
    {{"ls-tree", "rdtlz", "", "--name-only --long --full-tree --full-name --abbrev"}},
    {{"merge-base", "a", "", "--is-ancestor --all --fork-point"}},
    {{"reflog", "", "n", "--oneline --max-count= --date= --format=", names, Walks::no, 0}},
    {{"remote", "v", "", "--verbose", names, Walks::no, 0}},
    {{"rev-list", "", "n", "--count", names}, false, true},
    {{"rev-parse", "q", "",
      "--abbrev-ref --abbrev-ref= --show-toplevel --short --short= --verify --git-dir "
      "--is-inside-work-tree --show-prefix --symbolic-full-name --show-cdup --quiet "
      "--git-common-dir --is-bare-repository"}},
    {{"shortlog", "snec", "", "--all --no-merges --summary --numbered --email"}},
    {{"show", "puabwzRMs", "nSGLU", "", contents}, true, true},
    {{"status", "sbz", "u",
      "--short --branch --porcelain --porcelain= --long --ignored --untracked-files "
      "--untracked-files= --show-stash --ahead-behind --no-ahead-behind --renames --no-renames "
      "--column"}},
    {{"tag", "l", "n", "--list --sort=", names, Walks::no, 0}},
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Reads a command's options; `operands` are the rest.
struct Options {
  std::string letters{};             // those that stand there
  std::vector<std::string> longs{};  // without their values
  std::vector<std::string> operands{};
  bool understood = true;
};

bool take_letters(Options& out, const ReadingProgram& facts, std::string_view text, bool& value) {
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

Options options_in(const SimpleCommand& command, std::size_t from, const ReadingProgram& facts,
                   const std::vector<std::string_view>& longs) {
  Options out;
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
  return out;
}

bool has_any(std::string_view letters, std::string_view wanted) {
  return letters.find_first_of(wanted) != std::string_view::npos;
}

bool has_long(const Options& options, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    return std::ranges::find(options.longs, name) != options.longs.end();
  });
}

std::optional<Reading> git_reading(const SimpleCommand& command) {
  std::size_t at = 1;
  while (at < command.size() && has_word("--no-pager --no-optional-locks", command[at].text)) ++at;
  if (at == command.size()) return std::nullopt;
  const auto* found = std::ranges::find(git_programs, std::string_view(command[at].text),
                                        [](const GitReading& row) { return row.facts.name; });
  if (found == std::end(git_programs)) return std::nullopt;
  std::vector<std::string_view> longs{found->facts.longs};
  if (found->diffs) longs.push_back(diff_and_log[0]);
  if (found->logs) longs.push_back(diff_and_log[1]);
  Options options = options_in(command, at + 1, found->facts, longs);
  if (!options.understood ||
      options.operands.size() > static_cast<std::size_t>(found->facts.most_operands))
    return std::nullopt;
  // A signature is checked by another program.
  for (const ShellWord& word : command)
    if (word.text.find("%G") != std::string::npos) return std::nullopt;
  Reading reading{.contents = found->facts.shows == contents, .git = true};
  if (!found->patch.empty())
    reading.contents =
        has_any(options.letters, found->patch) ||
        has_long(options, {"--patch", "--unified", "--word-diff", "--function-context", "--check"});
  reading.operands = std::move(options.operands);
  return reading;
}

// Tests, and what it prints; its operands come first.
std::optional<Reading> find_reading(const SimpleCommand& command) {
  constexpr std::string_view understood =
      "-name -iname -path -ipath -wholename -regex -iregex -type -maxdepth -mindepth -newer -size "
      "-mtime -mmin -atime -amin -ctime -cmin -empty -executable -readable -writable -perm -user "
      "-group -links -print -print0 -printf -ls -prune -o -or -a -and -not -xdev -mount -depth "
      "-true -false -quit";
  Reading reading;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& text = command[i].text;
    if (text.starts_with('-') && !is_number(std::string_view(text).substr(1)) &&
        !has_word(understood, text))
      return std::nullopt;
    if (!text.starts_with('-')) reading.operands.push_back(text);
  }
  return reading;
}

// `sed -n 10,20p FILE` prints lines and cannot do anything else; every other script may.
std::optional<Reading> sed_reading(const SimpleCommand& command) {
  if (command.size() < 3 || command[1].text != "-n") return std::nullopt;
  std::string_view script = command[2].text;
  if (!script.ends_with('p')) return std::nullopt;
  script.remove_suffix(1);
  const std::size_t comma = script.find(',');
  const std::string_view last = comma == std::string_view::npos ? "$" : script.substr(comma + 1);
  if (!is_number(script.substr(0, comma)) || (last != "$" && !is_number(last))) return std::nullopt;
  Reading reading{.contents = true};
  for (std::size_t i = 3; i < command.size(); ++i) {
    if (command[i].text.starts_with('-')) return std::nullopt;
    reading.operands.push_back(command[i].text);
  }
  return reading;
}

}  // namespace

std::optional<Reading> reading_of(const SimpleCommand& command) {
  const std::string_view name = command[0].text;
  if (name == "git") return git_reading(command);
  if (name == "find") return find_reading(command);
  if (name == "sed") return sed_reading(command);
  if (name == "echo") return Reading{.text = true};
  const auto* found = std::ranges::find(programs, name, &ReadingProgram::name);
  if (found == std::end(programs)) return std::nullopt;
  Options options = options_in(command, 1, *found, {found->longs});
  if (!options.understood ||
      options.operands.size() > static_cast<std::size_t>(found->most_operands))
    return std::nullopt;
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
