#include "core/search/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "core/text/when.h"

namespace skein::search {

namespace {

Error misused(const std::string& sentence) { return Error(sentence, ExitStatus::usage); }

std::string time_given(std::string_view flag, const std::string& text) {
  if (const auto time = time_ms(text, now_ms())) return utc_from_ms(*time);
  throw misused(std::string(flag) + ": '" + text + "' is no time; say 7d, or 2026-11-01");
}

Role role_given(const std::string& text) {
  for (const Role role : {Role::user, Role::assistant, Role::tool, Role::thinking})
    if (text == name(role)) return role;
  throw misused("--role takes user, assistant, tool or thinking, not '" + text + "'");
}

bool active_given(const std::string& text) {
  if (text != "active" && text != "all")
    throw misused("--branch takes active or all, not '" + text + "'");
  return text == "active";
}

std::size_t limit_given(const std::string& text) {
  constexpr std::size_t most = 100'000;
  std::size_t limit = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (failed != std::errc{} || end != text.data() + text.size() || limit == 0 || limit > most)
    throw misused("--limit takes a whole number from 1 to 100000, not '" + text + "'");
  return limit;
}

// A folder that is gone still has sessions.
std::string folder_given(const std::string& text, const std::string& workspace) {
  const std::filesystem::path given = workspace / std::filesystem::path(text);
  std::error_code failed;
  std::string folder = std::filesystem::weakly_canonical(given, failed).string();
  if (text.empty() || failed || folder.empty()) throw misused("--cwd: '" + text + "' is no folder");
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

struct Row {
  Option option;
  void (*set)(Options& out, const std::string& value, const std::string& workspace);
};

using Value = const std::string&;
constexpr Row option_rows[] = {
    {{"--session", "KEY", "only in this session"},
     [](Options& out, Value value, Value) { out.session = value; }},
    {{"--cwd", "DIR", "only sessions made in this folder or below; . is the current one"},
     [](Options& out, Value value, Value workspace) {
       out.filter.cwd = folder_given(value, workspace);
     }},
    {{"--role", "user|assistant|tool|thinking", "only what they say"},
     [](Options& out, Value value, Value) { out.filter.role = role_given(value); }},
    {{"--tool", "NAME", "only what this tool was given and gave"},
     [](Options& out, Value value, Value) { out.filter.tool = value; }},
    {{"--model", "NAME", "only what a model said whose name has this in it"},
     [](Options& out, Value value, Value) { out.filter.model = value; }},
    {{"--since", "TIME", "only what was said since: 7d, 2026-11-01"},
     [](Options& out, Value value, Value) { out.filter.since = time_given("--since", value); }},
    {{"--until", "TIME", "only what was said before"},
     [](Options& out, Value value, Value) { out.filter.until = time_given("--until", value); }},
    {{"--errors", "", "only failures"},
     [](Options& out, Value, Value) { out.filter.errors = true; }},
    {{"--branch", "active|all", "active: only what leads to where the session goes on"},
     [](Options& out, Value value, Value) { out.filter.active_branch = active_given(value); }},
    {{"--blobs", "", "look into large outputs as well"},
     [](Options& out, Value, Value) { out.filter.blobs = true; }},
    {{"--fold", "", "é is e; slower"},
     [](Options& out, Value, Value) { out.accents = Accents::dropped; }},
    {{"--limit", "N", "how many to show (20)"},
     [](Options& out, Value value, Value) { out.limit = limit_given(value); }},
};

const Row& row_of(std::string_view flag) {
  const auto row =
      std::ranges::find(option_rows, flag, [](const Row& each) { return each.option.flag; });
  if (row != std::end(option_rows)) return *row;
  std::string known;
  for (const Row& each : option_rows)
    known += (known.empty() ? "" : ", ") + std::string(each.option.flag);
  throw misused("a search has no " + std::string(flag) + "; it takes " + known +
                "; what stands behind -- is looked for");
}

constexpr std::string_view between_words = " \t\r\n\v\f";

// Up to the next blank, or what a pair of quotes holds.
std::string take_value(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(between_words), rest.size()));
  const bool quoted = rest.starts_with('"') && rest.find('"', 1) != std::string_view::npos;
  const std::size_t begin = quoted ? 1 : 0;
  const std::size_t end =
      std::min(quoted ? rest.find('"', 1) : rest.find_first_of(between_words), rest.size());
  std::string out(rest.substr(begin, end - begin));
  rest.remove_prefix(std::min(end + begin, rest.size()));
  return out;
}

// A word, with its quotes if it has some.
std::string_view take_word(std::string_view& rest) {
  std::size_t end = 0;
  for (bool quoted = false; end < rest.size(); ++end) {
    if (quoted && rest[end] == '\\' && end + 1 < rest.size())
      ++end;
    else if (rest[end] == '"')
      quoted = !quoted && rest.find('"', end + 1) != std::string_view::npos;
    else if (!quoted && between_words.find(rest[end]) != std::string_view::npos)
      break;
  }
  const std::string_view out = rest.substr(0, end);
  rest.remove_prefix(end);
  return out;
}

}  // namespace

std::span<const Option> options() {
  static const auto all = [] {
    std::array<Option, std::size(option_rows)> out{};
    std::ranges::transform(option_rows, out.begin(), &Row::option);
    return out;
  }();
  return all;
}

void set_option(Options& out, std::string_view flag, const std::string& value,
                const std::string& workspace) {
  const Row& row = row_of(flag);
  if (!row.option.value.empty() && value.empty())
    throw misused(std::string(row.option.flag) + " needs a value: " +
                  std::string(row.option.value) + " (" + std::string(row.option.meaning) + ")");
  row.set(out, value, workspace);
}

std::string take_options(std::string_view typed, const std::string& workspace, Options& out) {
  std::string words;
  const auto keep = [&](std::string_view word) {
    words.append(words.empty() ? "" : " ").append(word);
  };
  for (std::string_view rest = typed;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(between_words), rest.size()));
    if (rest.empty()) return words;
    const std::string_view word = take_word(rest);
    if (word == "--") return keep(rest), words;
    if (!word.starts_with("--")) {
      keep(word);
      continue;
    }
    // --role user and --role=user.
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view flag = word.substr(0, equals);
    const Row& row = row_of(flag);
    std::string value;
    if (!row.option.value.empty()) {
      std::string_view given = word.substr(std::min(equals + 1, word.size()));
      value = take_value(given.empty() ? rest : given);
    }
    set_option(out, flag, value, workspace);
  }
}

}  // namespace skein::search
