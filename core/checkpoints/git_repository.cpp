#include "core/checkpoints/git_repository.h"

#include <algorithm>
#include <charconv>

#include "core/text/small_file.h"
#include "core/text/text.h"

namespace skein::checkpoints {

namespace {

constexpr std::size_t arguments_bytes = 96u << 10;  // of paths, in one call
constexpr std::size_t most_arguments = 4000;        // bubblewrap takes 9,000
constexpr std::size_t contents_bytes = 64u << 20;   // of objects, in one call, if they are small
constexpr std::size_t most_objects = 2000;          // in one call

// git knows it without having it.
constexpr std::string_view empty_tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

std::vector<std::string_view> records(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// What follows the n-th blank.
std::string_view after_blanks(std::string_view text, int blanks) {
  for (; blanks > 0; --blanks) {
    const std::size_t at = text.find(' ');
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + 1);
  }
  return text;
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

// No link is followed; git follows none in the work tree either.
std::string settings_in(const std::string& file) {
  return file_beginning(file, 1u << 20, Links::refused);
}

// .gitattributes that make git convert files. Read here rather than asked of git: it is one file.
bool attributes_convert(const std::string& top) {
  for (const char* name : {"/.gitattributes", "/.git/info/attributes"}) {
    const std::string text = settings_in(top + name);
    for (const std::string_view line : split(text, '\n'))
      for (const char* word : {"filter=", "eol=crlf", "ident", "working-tree-encoding="})
        if (!line.starts_with('#') && line.find(word) != std::string::npos) return true;
  }
  return false;
}

// git is not asked what changed in them: it would have to go into each.
std::vector<std::string> submodules_of(const std::string& top) {
  std::vector<std::string> out;
  const std::string text = settings_in(top + "/.gitmodules");
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view setting = trimmed(line);
    const std::size_t equals = setting.find('=');
    if (equals != std::string_view::npos && trimmed(setting.substr(0, equals)) == "path")
      out.emplace_back(trimmed(setting.substr(equals + 1)));
  }
  return out;
}

}  // namespace

bool is_object_id(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::optional<std::string> GitRepository::below(std::string_view path) const {
  if (!path.starts_with(git_.prefix())) return std::nullopt;
  return std::string(path.substr(git_.prefix().size()));
}

std::optional<GitRepository::Status> GitRepository::status() {
  const std::optional<std::string> said =
      git_.ask({.arguments = {"status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind",
                              "--untracked-files=all", "--ignored=no", "--no-renames",
                              "--ignore-submodules=dirty", "--", "."},
                .settings_first = true,
                .tracked_first = true});
  if (!said) return std::nullopt;
  const std::vector<std::string_view> lines = records(*said);
  if (lines.empty()) return std::nullopt;
  Status out;
  out.converts = lines.front().starts_with("true") || lines.front().ends_with(" crlf") ||
                 attributes_convert(git_.top());
  for (const std::string& path : submodules_of(git_.top()))
    if (std::optional<std::string> inside = below(path)) out.passed_over.push_back(*inside);
  bool told = false;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    constexpr std::string_view commit = "# branch.oid ";
    if (line.starts_with(commit)) {
      out.commit = line.substr(commit.size());
      if (out.commit == "(initial)") out.commit.clear();
      told = out.commit.empty() || is_object_id(out.commit);
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
    if (path->ends_with('/')) {
      out.passed_over.push_back(*std::move(path));
      continue;
    }
    if (line[0] == '?') out.untracked.insert(*path);
    out.changed.push_back(*std::move(path));
  }
  if (!told) return std::nullopt;
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
    for (const std::string& path : group) arguments.push_back(git_.prefix() + path);
    const std::optional<std::string> said = git_.ask({.arguments = std::move(arguments)});
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
      git_.ask({.arguments = {"diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to}});
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
  std::vector<std::string> group;
  std::uint64_t bytes = 0;
  const auto fetch = [&] {
    std::string input;
    for (const std::string& id : group) input += id + "\n";
    const std::optional<std::string> said = git_.ask({.arguments = {"cat-file", "--batch"},
                                                      .input = input,
                                                      .most_bytes = std::uint64_t{1} << 30});
    group.clear();
    bytes = 0;
    std::string_view rest = said ? std::string_view(*said) : std::string_view{};
    while (!rest.empty()) {  // <id> blob <size>\n<bytes>\n
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) return;
      const std::string_view head = rest.substr(0, end);
      rest.remove_prefix(end + 1);
      const std::string_view digits = after_blanks(head, 2);
      std::uint64_t size = 0;
      if (std::from_chars(digits.data(), digits.data() + digits.size(), size).ec != std::errc{})
        continue;  // missing
      if (size + 1 > rest.size()) return;
      visit(std::string(head.substr(0, head.find(' '))), rest.substr(0, size));
      rest.remove_prefix(size + 1);
    }
  };
  std::string all;
  for (const std::string& id : ids)
    if (is_object_id(id)) all += id + "\n";
  if (all.empty()) return;
  const std::optional<std::string> sizes =
      git_.ask({.arguments = {"cat-file", "--batch-check"}, .input = all});
  if (!sizes) return;
  for (const std::string_view line : split(*sizes, '\n')) {
    const std::string_view digits = after_blanks(line, 2);
    std::uint64_t size = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), size).ec != std::errc{})
      continue;
    if (!group.empty() && (bytes + size > contents_bytes || group.size() >= most_objects)) fetch();
    group.emplace_back(line.substr(0, line.find(' ')));
    bytes += size;
  }
  if (!group.empty()) fetch();
}

std::set<std::string> GitRepository::converted(const std::vector<std::string>& paths) {
  std::set<std::string> out;
  for (const std::vector<std::string>& group : in_groups(paths)) {
    std::vector<std::string> arguments{
        "check-attr", "-z", "filter", "ident", "working-tree-encoding", "eol", "text", "--"};
    // Relative to the folder git runs in, which is the workspace.
    arguments.insert(arguments.end(), group.begin(), group.end());
    const std::optional<std::string> said =
        git_.ask({.arguments = std::move(arguments), .settings_first = true});
    if (!said) {
      out.insert(group.begin(), group.end());  // not known: not to be trusted
      continue;
    }
    const std::vector<std::string_view> fields = records(*said);
    const bool crlf = !fields.empty() &&
                      (fields.front().starts_with("true") || fields.front().ends_with(" crlf"));
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
  const std::optional<std::string> said = git_.ask({.arguments = {"check-ignore", "-z", "--stdin"},
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
  const std::optional<std::string> said =
      git_.ask({.arguments = {"ls-files", "-z", "-t", "--", "."}});
  if (!said) return out;
  for (const std::string_view line : records(*said))
    if (line.starts_with("S ")) out.emplace(line.substr(2));
  return out;
}

}  // namespace skein::checkpoints
