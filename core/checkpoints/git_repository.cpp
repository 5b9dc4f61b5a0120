#include "core/checkpoints/git_repository.h"

#include <fcntl.h>

#include "core/process/running_program.h"
#include "core/text/text.h"

namespace skein::checkpoints {

namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  const std::string text = file_beginning(file);
  return text.substr(0, text.find('\n'));
}

// Where a repository is kept whose .git is a file: a worktree's, a submodule's.
std::vector<std::string> kept_elsewhere(const std::string& top) {
  constexpr std::string_view opening = "gitdir: ";
  const std::string line = first_line(fs::path(top) / ".git");
  if (!line.starts_with(opening)) return {};
  const fs::path folder = fs::path(top) / line.substr(opening.size());
  std::vector<std::string> out{workspace::real_place(folder.string())};
  if (const std::string common = first_line(folder / "commondir"); !common.empty())
    out.push_back(workspace::real_place((folder / common).string()));
  return out;
}

// A pipe in some folder, or a filter, may keep git waiting for ever. It looks like a repository so
// large, or a disk so slow, that git needs longer. Where that has happened, less time is lost next.
constexpr std::chrono::seconds patience{60}, little_patience{3};
constexpr std::uint64_t most_memory = std::uint64_t{2} << 30;  // against files without an end

// Files that git reads whatever it is asked; those in the work tree not through a link.
constexpr const char* work_tree_files[] = {"/.gitattributes", "/.gitignore", "/.gitmodules"};
constexpr const char* git_files[] = {"/.git",
                                     "/.git/HEAD",
                                     "/.git/config",
                                     "/.git/index",
                                     "/.git/packed-refs",
                                     "/.git/commondir",
                                     "/.git/info/attributes",
                                     "/.git/info/exclude",
                                     "/.git/objects/info/alternates"};

// A pipe, a device, a socket, or far too large: no repository has so many files or refs.
bool keeps_git_busy(const std::string& path, Links links) {
  constexpr off_t largest = off_t{4} << 30;
  struct stat info {};
  const int flags = links == Links::followed ? 0 : AT_SYMLINK_NOFOLLOW;
  if (fstatat(AT_FDCWD, path.c_str(), &info, flags) != 0) return false;
  return S_ISREG(info.st_mode) ? info.st_size > largest
                               : !S_ISDIR(info.st_mode) && !S_ISLNK(info.st_mode);
}

// What is said on standard error would get between the records.
constexpr std::string_view git_script = "f=$2; shift 2; exec git \"$@\" <\"$f\" 2>/dev/null";
// The answer begins with "<core.autocrlf> <core.eol>" and a NUL.
constexpr std::string_view settings_script =
    "printf '%s %s\\0' \"$(git --git-dir=\"$1\" config core.autocrlf)\" "
    "\"$(git --git-dir=\"$1\" config core.eol)\"; ";
// Then what is tracked below the workspace.
constexpr std::string_view tracked_script =
    "git --no-optional-locks -c core.fsmonitor=false --git-dir=\"$1\" --work-tree=\"${1%/.git}\" "
    "ls-files -s -z -- . 2>/dev/null; ";

constexpr std::size_t arguments_bytes = 96u << 10;  // of paths, in one call
constexpr std::size_t most_arguments = 4000;        // bubblewrap takes 9,000
constexpr std::size_t contents_bytes = 64u << 20;   // of objects, in one call, if they are small
constexpr std::size_t most_objects = 2000;          // in one call

// git knows it without having it.
constexpr std::string_view empty_tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

std::vector<std::string_view> records(std::string_view text) { return split(text, '\0'); }

// What follows the n-th blank.
std::string_view after_blanks(std::string_view text, int blanks) {
  for (; blanks > 0; --blanks) {
    const std::size_t at = text.find(' ');
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + 1);
  }
  return text;
}

// Of an object, in an answer of cat-file: "<id> blob <size>".
std::optional<std::uint64_t> size_in(std::string_view line) {
  return parse_number<std::uint64_t>(after_blanks(line, 2));
}

// Whether `git config core.autocrlf` and core.eol, printed before an answer, change line ends.
bool converts_lines(const std::vector<std::string_view>& answer) {
  return !answer.empty() &&
         (answer.front().starts_with("true") || answer.front().ends_with(" crlf"));
}

GitRepository::Object::Kind kind_of(std::string_view mode) {
  using enum GitRepository::Object::Kind;
  return mode == "100644" ? file : mode == "100755" ? program : mode == "120000" ? link : other;
}

// Groups of paths that fit on a command line.
std::vector<std::vector<std::string>> in_groups(const std::vector<std::string>& paths) {
  std::vector<std::vector<std::string>> out;
  std::size_t bytes = 0;
  for (const std::string& path : paths) {
    bytes += path.size() + 1;
    if (out.empty() || bytes > arguments_bytes || out.back().size() >= most_arguments) {
      out.emplace_back();
      bytes = path.size() + 1;
    }
    out.back().push_back(path);
  }
  return out;
}

// The lines of a file with settings. No link is followed; git follows none in the work tree either.
std::vector<std::string> settings_in(const std::string& file) {
  std::vector<std::string> out;
  const std::string text = file_beginning(file, 1u << 20, Links::refused);
  for (const std::string_view line : split(text, '\n')) out.emplace_back(trimmed(line));
  return out;
}

// .gitattributes that make git convert files. Read here rather than asked of git: it is one file.
bool attributes_convert(const std::string& top) {
  for (const char* name : {"/.gitattributes", "/.git/info/attributes"})
    for (const std::string& line : settings_in(top + name))
      if (!line.starts_with('#') &&
          has_any_of(line, {"filter=", "eol=crlf", "ident", "working-tree-encoding="}))
        return true;
  return false;
}

// git is not asked what changed in them: it would have to go into each.
std::vector<std::string> submodules_of(const std::string& top) {
  std::vector<std::string> out;
  for (const std::string_view setting : settings_in(top + "/.gitmodules"))
    if (const std::size_t equals = setting.find('=');
        equals != setting.npos && trimmed(setting.substr(0, equals)) == "path")
      out.emplace_back(trimmed(setting.substr(equals + 1)));
  return out;
}

// 40 or 64 hex digits: all that is ever passed on to git, or stored.
bool is_object_id(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

GitRepository::GitRepository(const Root& root, Sandbox sandbox, const StopRequest& stop)
    : root_(root), sandbox_(sandbox), stop_(stop) {
  if (sandbox_ == Sandbox::none) return;
  std::error_code failed;
  fs::path at = root_.path();
  for (; !fs::exists(at / ".git", failed); at = at.parent_path())
    if (at == at.parent_path()) return;
  top_ = at.string();
  prefix_ = root_.path().substr(std::min(root_.path().size(), top_.size() + (top_ == "/" ? 0 : 1)));
  if (!prefix_.empty()) prefix_ += '/';
  seen_too_ = kept_elsewhere(top_);
}

std::optional<std::string> GitRepository::answer_to(process::Program& program, const Asked& asked) {
  std::string out;
  bool too_much = false;
  const process::ProgramEnd end = process::run_program(
      program, {.output =
                    [&](std::string_view piece) {
                      too_much = too_much || out.size() + piece.size() > asked.most_bytes;
                      if (!too_much) out += piece;
                    },
                .stopped = [&] { return too_much || stop_.asked(); },
                .time = timed_out_ ? little_patience : patience});
  if (!too_much) stop_.check();
  timed_out_ = end.cause == process::ProgramEnd::Cause::timed_out;
  if (timed_out_)
    obstacle_ = "git does not answer in " + top_ + ": is some .gitignore or .gitattributes a pipe?";
  const bool done = end.cause == process::ProgramEnd::Cause::exited && !too_much &&
                    (end.code == 0 || end.code == asked.also_good);
  return done ? std::optional(std::move(out)) : std::nullopt;
}

std::string GitRepository::find_obstacle() const {
  std::string found;
  const auto look_at = [&](const std::string& path, Links links) {
    if (keeps_git_busy(path, links)) found = path + " is not a file that git can read to its end";
  };
  for (const std::string& folder : {top_, root_.path()})
    for (const char* name : work_tree_files) look_at(folder + name, Links::refused);
  for (const char* name : git_files) look_at(top_ + name, Links::followed);
  constexpr std::string_view branch = "ref: ";
  if (const std::string head = first_line(top_ + "/.git/HEAD"); head.starts_with(branch))
    look_at(top_ + "/.git/" + head.substr(branch.size()), Links::followed);
  return found;
}

std::optional<std::string> GitRepository::ask(const Asked& asked) {
  if (top_.empty() || temporary_.path().empty()) return std::nullopt;
  stop_.check();
  if (obstacle_ = find_obstacle(); !obstacle_.empty()) return std::nullopt;
  const bool wrapped = sandbox_ == Sandbox::bubblewrap;
  // Under Landlock only the temporary folder can be written to, and everything is seen where it is.
  sandbox::SandboxSpec cell{.root = wrapped ? root_.path() : temporary_.path(),
                            .temporary = temporary_.path(),
                            .hidden = root_.forbidden(),
                            .network = false};
  if (!sandbox::settle_hidden(cell).empty()) return std::nullopt;
  const std::string input = temporary_.path() + "/asked";
  if (!replace_small_file(input, asked.input)) return std::nullopt;
  process::Program program{.folder = root_.fd(), .limits = {.memory = most_memory}};
  if (wrapped) {
    cell.read_only = seen_too_;
    cell.read_only.push_back(top_);
  }
  const Fd rules = sandbox::confine(program, sandbox_, cell);
  std::vector<std::string>& words = program.arguments;
  // The repository is named outright, so that no setting of it leads elsewhere.
  words.insert(words.end(),
               {"/bin/sh", "-c", asked.first + std::string(git_script), "git", top_ + "/.git",
                wrapped ? "/tmp/asked" : input, "--no-optional-locks", "-c", "core.fsmonitor=false",
                "--git-dir=" + top_ + "/.git", "--work-tree=" + top_});
  if (asked.literal) words.emplace_back("--literal-pathspecs");
  words.insert(words.end(), asked.arguments.begin(), asked.arguments.end());
  program.environment.push_back("GIT_OPTIONAL_LOCKS=0");
  return answer_to(program, asked);
}

std::optional<std::string> GitRepository::below(std::string_view path) const {
  if (!path.starts_with(prefix_)) return std::nullopt;
  return std::string(path.substr(prefix_.size()));
}

std::optional<GitRepository::Status> GitRepository::status() {
  const std::optional<std::string> said =
      ask({.arguments = {"status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind",
                         "--untracked-files=all", "--ignored=no", "--no-renames",
                         "--ignore-submodules=dirty", "--", "."},
           .first = std::string(settings_script) + std::string(tracked_script)});
  if (!said) return std::nullopt;
  const std::vector<std::string_view> lines = records(*said);
  if (lines.empty()) return std::nullopt;
  Status out;
  out.converts = converts_lines(lines) || attributes_convert(top_);
  for (const std::string& path : submodules_of(top_))
    if (std::optional<std::string> inside = below(path)) out.passed_over.push_back(*inside);
  bool is_complete = false;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    constexpr std::string_view commit = "# branch.oid ";
    if (line.starts_with(commit)) {
      out.commit = line.substr(commit.size());
      if (out.commit == "(initial)") out.commit.clear();
      is_complete = out.commit.empty() || is_object_id(out.commit);
    }
    if (line.starts_with("#") || line.empty()) continue;
    if (line.starts_with("1") && !line.starts_with("1 ")) {  // <mode> <id> <stage>\t<path>
      const auto kind = kind_of(line.substr(0, line.find(' ')));
      using enum Object::Kind;
      if (kind == file || kind == program)
        out.tracked.push_back({std::string(line.substr(line.find('\t') + 1)), kind == program});
      continue;
    }
    const int before_path = line[0] == '1' ? 8 : line[0] == 'u' ? 10 : line[0] == '?' ? 1 : 0;
    if (before_path == 0) return std::nullopt;
    std::optional<std::string> path = below(after_blanks(line, before_path));
    if (!path || path->empty()) continue;
    const bool submodule = line[0] != '?' && after_blanks(line, 2).starts_with('S');
    if (submodule) continue;  // named already
    if (line[0] == '?' && !path->ends_with('/')) out.untracked.insert(*path);
    (path->ends_with('/') ? out.passed_over : out.changed).push_back(*std::move(path));
  }
  if (!is_complete) return std::nullopt;
  std::ranges::sort(out.changed);
  return out;
}

std::optional<std::map<std::string, GitRepository::Object>> GitRepository::objects_in(
    const std::string& commit, const std::vector<std::string>& paths) {
  std::map<std::string, Object> out;
  if (commit.empty()) return out;
  if (!is_object_id(commit)) return std::nullopt;
  for (const std::vector<std::string>& group : in_groups(paths)) {
    std::vector<std::string> arguments{"ls-tree", "-z", "--full-tree", commit, "--"};
    for (const std::string& path : group) arguments.push_back(prefix_ + path);
    const std::optional<std::string> said = ask({.arguments = std::move(arguments)});
    if (!said) return std::nullopt;
    for (const std::string_view line : records(*said)) {  // <mode> <type> <id>\t<path>
      const std::size_t tab = line.find('\t');
      if (tab == std::string_view::npos) continue;
      const std::string_view id = after_blanks(line.substr(0, tab), 2);
      const std::optional<std::string> path = below(line.substr(tab + 1));
      const bool blob = after_blanks(line, 1).starts_with("blob ");
      if (blob && path && is_object_id(id))
        out[*path] = {std::string(id), kind_of(line.substr(0, line.find(' ')))};
    }
  }
  return out;
}

std::optional<std::vector<std::string>> GitRepository::changed_between(const std::string& a,
                                                                       const std::string& b) {
  const std::string from = a.empty() ? std::string(empty_tree) : a;
  const std::string to = b.empty() ? std::string(empty_tree) : b;
  if (!is_object_id(from) || !is_object_id(to)) return std::nullopt;
  const std::optional<std::string> said =
      ask({.arguments = {"diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to}});
  if (!said) return std::nullopt;
  std::vector<std::string> out;
  for (const std::string_view line : records(*said))
    if (std::optional<std::string> path = below(line)) out.push_back(*std::move(path));
  return out;
}

void GitRepository::contents(
    const std::vector<std::string>& ids,
    const std::function<void(const std::string&, std::string_view)>& visit) {
  // Sizes first, so that no answer is larger than what memory should hold.
  std::string input;
  std::uint64_t count = 0, bytes = 0;
  const auto fetch = [&] {
    const std::optional<std::string> said = ask({.arguments = {"cat-file", "--batch"},
                                                 .input = std::exchange(input, {}),
                                                 .most_bytes = std::uint64_t{1} << 30});
    count = bytes = 0;
    std::string_view rest = said ? std::string_view(*said) : std::string_view{};
    while (!rest.empty()) {  // <id> blob <size>\n<bytes>\n
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) return;
      const std::string_view head = rest.substr(0, end);
      rest.remove_prefix(end + 1);
      const std::optional<std::uint64_t> size = size_in(head);
      if (!size) continue;  // missing
      if (*size + 1 > rest.size()) return;
      visit(std::string(head.substr(0, head.find(' '))), rest.substr(0, *size));
      rest.remove_prefix(*size + 1);
    }
  };
  std::string all;
  for (const std::string& id : ids)
    if (is_object_id(id)) all += id + "\n";
  if (all.empty()) return;
  const std::optional<std::string> sizes =
      ask({.arguments = {"cat-file", "--batch-check"}, .input = all});
  if (!sizes) return;
  for (const std::string_view line : split(*sizes, '\n')) {
    const std::optional<std::uint64_t> size = size_in(line);
    if (!size) continue;
    if (count > 0 && (bytes + *size > contents_bytes || count >= most_objects)) fetch();
    input += std::string(line.substr(0, line.find(' '))) + "\n";
    bytes += *size;
    ++count;
  }
  if (count > 0) fetch();
}

std::set<std::string> GitRepository::converted(const std::vector<std::string>& paths) {
  std::set<std::string> out;
  for (const std::vector<std::string>& group : in_groups(paths)) {
    std::vector<std::string> arguments{
        "check-attr", "-z", "filter", "ident", "working-tree-encoding", "eol", "text", "--"};
    // Relative to the folder git runs in, which is the workspace.
    arguments.insert(arguments.end(), group.begin(), group.end());
    const std::optional<std::string> said =
        ask({.arguments = std::move(arguments), .first = std::string(settings_script)});
    if (!said) {
      out.insert(group.begin(), group.end());  // not known: not to be trusted
      continue;
    }
    const std::vector<std::string_view> fields = records(*said);
    const bool crlf = converts_lines(fields);
    for (std::size_t i = 1; i + 2 < fields.size(); i += 3) {
      const std::string_view attribute = fields[i + 1], value = fields[i + 2];
      const bool given = value != "unspecified" && value != "unset";
      const bool changes = attribute == "text"  ? crlf && value != "unset"
                           : attribute == "eol" ? value == "crlf"
                                                : given;
      if (changes) out.emplace(fields[i]);
    }
  }
  return out;
}

std::set<std::string> GitRepository::ignored(const std::vector<std::string>& paths) {
  std::set<std::string> out;
  if (paths.empty()) return out;
  // So that no name is taken for a pattern: those begin with a colon.
  constexpr std::string_view here = "./";
  std::string input;
  for (const std::string& path : paths) input += std::string(here) + path + '\0';
  const std::optional<std::string> said = ask({.arguments = {"check-ignore", "-z", "--stdin"},
                                               .input = input,
                                               .also_good = 1,
                                               .literal = false});
  if (said)
    for (const std::string_view path : records(*said))
      if (path.starts_with(here)) out.emplace(path.substr(here.size()));
  return out;
}

std::set<std::string> GitRepository::sparse() {
  std::set<std::string> out;
  const std::optional<std::string> said = ask({.arguments = {"ls-files", "-z", "-t", "--", "."}});
  if (!said) return out;
  for (const std::string_view line : records(*said))
    if (line.starts_with("S ")) out.emplace(line.substr(2));
  return out;
}

}  // namespace skein::checkpoints
