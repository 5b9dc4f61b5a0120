#include "core/tools/sandbox/git_config.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace skein::tools::sandbox {

namespace {

enum class Value { any, address, folder };

// `section` and `key` in lower case; key "*" is every key of the section.
struct Sanitizer {
  std::string_view section;
  std::string_view key;
  Value value = Value::any;
};
constexpr auto harmless_settings = std::to_array<Sanitizer>({
    {"advice", "*"},
    {"branch", "description"},
    {"branch", "merge"},
    {"branch", "pushremote", Value::address},
    {"branch", "rebase"},
    {"branch", "remote", Value::address},
    {"color", "*"},
    {"core", "abbrev"},
    {"core", "autocrlf"},
    {"core", "bare"},
    {"core", "eol"},
    {"core", "filemode"},
    {"core", "ignorecase"},
    {"core", "logallrefupdates"},
    {"core", "precomposeunicode"},
    {"core", "quotepath"},
    {"core", "repositoryformatversion"},
    {"core", "sparsecheckout"},
    {"core", "sparsecheckoutcone"},
    {"core", "symlinks"},
    {"core", "worktree", Value::folder},
    {"extensions", "objectformat"},
    {"extensions", "partialclone"},
    {"extensions", "refstorage"},
    {"extensions", "relativeworktrees"},
    {"extensions", "worktreeconfig"},
    {"fetch", "prune"},
    {"gc", "auto"},
    {"index", "sparse"},
    {"init", "defaultbranch"},
    {"lfs", "repositoryformatversion"},
    {"merge", "conflictstyle"},
    {"merge", "ff"},
    {"pull", "ff"},
    {"pull", "rebase"},
    {"push", "autosetupremote"},
    {"push", "default"},
    {"rebase", "autosquash"},
    {"rebase", "autostash"},
    {"remote", "fetch"},
    {"remote", "mirror"},
    {"remote", "partialclonefilter"},
    {"remote", "promisor"},
    {"remote", "prune"},
    {"remote", "pushurl", Value::address},
    {"remote", "tagopt"},
    {"remote", "url", Value::address},
    {"submodule", "active"},
    {"submodule", "branch"},
    {"submodule", "ignore"},
    {"submodule", "recurse"},
    {"submodule", "url", Value::address},
    {"user", "email"},
    {"user", "name"},
});

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-';
  });
}

// One line in the plain form.
struct Line {
  enum class Kind { blank, section, setting } kind = Kind::blank;
  std::string section{}, subsection{};  // of a header
  std::string key{};
  std::string_view value{};
  bool has_value = false;
};

std::optional<Line> header(std::string_view text) {
  if (!text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  const std::size_t quote = text.find('"');
  Line line{.kind = Line::Kind::section};
  if (quote != std::string_view::npos) {
    if (!text.ends_with('"') || quote + 1 == text.size()) return std::nullopt;
    const std::string_view inner = text.substr(quote + 1, text.size() - quote - 2);
    if (inner.find_first_of("\"\\") != std::string_view::npos) return std::nullopt;
    line.subsection = inner;
    text = trimmed(text.substr(0, quote));
  }
  if (!is_word(text)) return std::nullopt;
  line.section = lower(text);
  return line;
}

std::optional<Line> plain_line(std::string_view text) {
  const bool odd = std::ranges::any_of(
      text, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
  if (odd || text.ends_with('\\')) return std::nullopt;
  text = trimmed(text);
  if (text.empty() || text.front() == '#' || text.front() == ';') return Line{};
  if (text.front() == '[') return header(text);
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view key = trimmed(text.substr(0, equals));
  if (!is_word(key)) return std::nullopt;
  Line line{.kind = Line::Kind::setting, .key = lower(key)};
  line.has_value = equals < text.size();
  if (line.has_value) line.value = trimmed(text.substr(equals + 1));
  return line;
}

template <class Take>
void each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Remote helpers ("ext::sh -c …") and options are no addresses.
bool is_address(std::string_view value) {
  return !value.starts_with('-') && value.find("::") == std::string_view::npos &&
         value.find_first_of("\"\\") == std::string_view::npos;
}

bool is_harmless(const Line& line, std::string_view section, const StaysInside& inside) {
  return std::ranges::any_of(harmless_settings, [&](const Sanitizer& row) {
    if (row.section != section || (row.key != "*" && row.key != line.key)) return false;
    if (row.value == Value::address) return is_address(line.value);
    if (row.value == Value::folder) return is_address(line.value) && inside(line.value);
    return true;
  });
}

// Everything that is not harmless, in its order; nothing if the text is not plain throughout.
std::optional<std::vector<std::string>> dangers(std::string_view text, const StaysInside& inside) {
  std::vector<std::string> found;
  std::string section, subsection;
  bool plain = true;
  each_line(text, [&](std::string_view raw) {
    const auto line = plain_line(raw);
    plain = plain && line;
    if (!plain || line->kind == Line::Kind::blank) return;
    if (line->kind == Line::Kind::section) {
      section = line->section, subsection = line->subsection;
    } else if (!is_harmless(*line, section, inside)) {
      found.push_back(section + "\n" + subsection + "\n" + std::string(trimmed(raw)));
    }
  });
  if (!plain) return std::nullopt;
  return found;
}

}  // namespace

bool harmless_change(std::string_view before, std::string_view now, const StaysInside& inside) {
  if (before == now) return true;
  const auto old = dangers(before, inside), present = dangers(now, inside);
  return old && present && *old == *present;
}

std::string harmless_part(std::string_view text, const StaysInside& inside) {
  std::string out, section;
  each_line(text, [&](std::string_view raw) {
    const auto line = plain_line(raw);
    if (!line || line->kind == Line::Kind::blank) return;
    if (line->kind == Line::Kind::section) {
      section = line->section;
      out += "[" + section;
      if (!line->subsection.empty()) out += " \"" + line->subsection + "\"";
      out += "]\n";
    } else if (is_harmless(*line, section, inside)) {
      out += "\t" + line->key;
      if (line->has_value) out += " = " + std::string(line->value);
      out += "\n";
    }
  });
  return out;
}

NamedFiles files_named_in(std::string_view text) {
  NamedFiles files;
  each_line(text, [&](std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return;
    const std::string key = lower(trimmed(line.substr(0, equals)));
    std::string value(trimmed(line.substr(equals + 1)));
    std::erase(value, '"');
    if (value.ends_with('\r')) value.pop_back();
    if (value.empty()) return;
    if (key.ends_with("hookspath"))
      files.hook_folders.push_back(value);
    else if (key == "path" || key.ends_with("]path") || key.ends_with(" path"))
      files.includes.push_back(value);
  });
  return files;
}

}  // namespace skein::tools::sandbox
