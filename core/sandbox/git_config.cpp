#include "core/sandbox/git_config.h"

#include "core/text/std.h"

#include "core/text/text.h"

namespace skein::sandbox {

namespace {

enum class ConfigValue { any, address, folder };

// In lower case; "*" is every key of the section.
struct HarmlessSettings {
  std::string_view section, keys;
  ConfigValue value = ConfigValue::any;
};
constexpr HarmlessSettings harmless_settings[] = {
    {"advice", "*"},
    {"branch", "description merge rebase"},
    {"branch", "pushremote remote", ConfigValue::address},
    {"color", "*"},
    {"core",
     "abbrev autocrlf bare eol filemode ignorecase logallrefupdates precomposeunicode quotepath "
     "repositoryformatversion sparsecheckout sparsecheckoutcone symlinks"},
    {"core", "worktree", ConfigValue::folder},
    {"extensions", "objectformat partialclone refstorage relativeworktrees worktreeconfig"},
    {"fetch", "prune"},
    {"gc", "auto"},
    {"index", "sparse"},
    {"init", "defaultbranch"},
    {"lfs", "repositoryformatversion"},
    {"merge", "conflictstyle ff"},
    {"pull", "ff rebase"},
    {"push", "autosetupremote default"},
    {"rebase", "autosquash autostash"},
    {"remote", "fetch mirror partialclonefilter promisor prune tagopt"},
    {"remote", "pushurl url", ConfigValue::address},
    {"submodule", "active branch ignore recurse"},
    {"submodule", "url", ConfigValue::address},
    {"user", "email name"},
};

constexpr std::string_view blanks = " \t";  // a line feed or more would be part of a value

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-';
  });
}

// One line in the plain form.
struct ConfigLine {
  enum class Kind { blank, section, setting } kind = Kind::blank;
  std::string section{}, subsection{};  // of a header
  std::string key{};
  std::string_view value{};
  bool has_value = false;
};

std::optional<ConfigLine> header(std::string_view text) {
  if (!text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  const std::size_t quote = text.find('"');
  ConfigLine line{.kind = ConfigLine::Kind::section};
  if (quote != std::string_view::npos) {
    if (!text.ends_with('"') || quote + 1 == text.size()) return std::nullopt;
    const std::string_view inner = text.substr(quote + 1, text.size() - quote - 2);
    if (inner.find_first_of("\"\\") != std::string_view::npos) return std::nullopt;
    line.subsection = inner;
    text = trimmed(text.substr(0, quote), blanks);
  }
  if (!is_word(text)) return std::nullopt;
  line.section = lower(text);
  return line;
}

std::optional<ConfigLine> plain_line(std::string_view text) {
  const bool odd = std::ranges::any_of(
      text, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
  if (odd || text.ends_with('\\')) return std::nullopt;
  text = trimmed(text, blanks);
  if (text.empty() || text.front() == '#' || text.front() == ';') return ConfigLine{};
  if (text.front() == '[') return header(text);
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view key = trimmed(text.substr(0, equals), blanks);
  if (!is_word(key)) return std::nullopt;
  ConfigLine line{.kind = ConfigLine::Kind::setting, .key = lower(key)};
  line.has_value = equals < text.size();
  if (line.has_value) line.value = trimmed(text.substr(equals + 1), blanks);
  return line;
}

// Remote helpers ("ext::sh -c …") and options are no addresses.
bool is_address(std::string_view value) {
  return !value.starts_with('-') && value.find("::") == std::string_view::npos &&
         value.find_first_of("\"\\") == std::string_view::npos;
}

bool is_harmless(const ConfigLine& line, std::string_view section, const StaysInside& inside) {
  return std::ranges::any_of(harmless_settings, [&](const HarmlessSettings& row) {
    if (row.section != section || (row.keys != "*" && !has_word(row.keys, line.key))) return false;
    if (row.value == ConfigValue::address) return is_address(line.value);
    if (row.value == ConfigValue::folder) return is_address(line.value) && inside(line.value);
    return true;
  });
}

// Everything that is not harmless, in its order; nothing if the text is not plain throughout.
std::optional<std::vector<std::string>> dangers(std::string_view text, const StaysInside& inside) {
  std::vector<std::string> found;
  std::string section, subsection;
  for (const std::string_view raw : split(text, '\n')) {
    const auto line = plain_line(raw);
    if (!line) return std::nullopt;
    if (line->kind == ConfigLine::Kind::section)
      section = line->section, subsection = line->subsection;
    else if (line->kind == ConfigLine::Kind::setting && !is_harmless(*line, section, inside))
      found.push_back(section + "\n" + subsection + "\n" + std::string(trimmed(raw, blanks)));
  }
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
  for (const std::string_view raw : split(text, '\n')) {
    const auto line = plain_line(raw);
    if (!line || line->kind == ConfigLine::Kind::blank) continue;
    if (line->kind == ConfigLine::Kind::section) {
      section = line->section;
      out += "[" + section;
      if (!line->subsection.empty()) out += " \"" + line->subsection + "\"";
      out += "]\n";
    } else if (is_harmless(*line, section, inside)) {
      out += "\t" + line->key;
      if (line->has_value) out += " = " + std::string(line->value);
      out += "\n";
    }
  }
  return out;
}

NamedFiles files_named_in(std::string_view text) {
  NamedFiles files;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string key = lower(trimmed(line.substr(0, equals), blanks));
    std::string value(trimmed(line.substr(equals + 1), blanks));
    std::erase(value, '"');
    if (value.ends_with('\r')) value.pop_back();
    if (value.empty()) continue;
    if (key.ends_with("hookspath"))
      files.hook_folders.push_back(value);
    else if (key == "path" || key.ends_with("]path") || key.ends_with(" path"))
      files.includes.push_back(value);
  }
  return files;
}

}  // namespace skein::sandbox
