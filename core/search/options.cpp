#include "core/search/options.h"

#include "core/text/text.h"

namespace skein::search {

namespace {

Error misused(const std::string& sentence) { return Error(sentence, ExitStatus::usage); }

std::string time_given(std::string_view flag, const std::string& text) {
  if (const auto time = time_ms(text, now_ms())) return utc_from_ms(*time);
  throw misused(std::string(flag) + ": '" + text + "' is not a time; write 7d or 2026-11-01");
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
  const auto limit = parse_number<std::size_t>(text).value_or(0);
  if (limit == 0 || limit > most)
    throw misused("--limit takes a whole number from 1 to 100000, not '" + text + "'");
  return limit;
}

// A folder that is gone still has sessions.
std::string folder_given(const std::string& text, const std::string& workspace) {
  const std::filesystem::path given = workspace / std::filesystem::path(text);
  std::error_code failed;
  std::string folder = std::filesystem::weakly_canonical(given, failed).string();
  if (text.empty() || failed || folder.empty())
    throw misused("--cwd: '" + text + "' is not a folder");
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

using Value = const std::string&;
constexpr Option all_options[] = {
    {"--session", "KEY", "only in this session",
     [](Options& out, Value value, Value) { out.session = value; }},
    {"--cwd", "DIR", "only sessions made in this folder or below; . is the current one",
     [](Options& out, Value value, Value workspace) {
       out.filter.cwd = folder_given(value, workspace);
     }},
    {"--role", "user|assistant|tool|thinking", "only texts of this kind",
     [](Options& out, Value value, Value) { out.filter.role = role_given(value); }},
    {"--tool", "NAME", "only calls of this tool and their results",
     [](Options& out, Value value, Value) { out.filter.tool = value; }},
    {"--model", "NAME", "only answers of models whose name contains this",
     [](Options& out, Value value, Value) { out.filter.model = value; }},
    {"--since", "TIME", "only entries since then: 7d, 2026-11-01",
     [](Options& out, Value value, Value) { out.filter.since = time_given("--since", value); }},
    {"--until", "TIME", "only entries before then",
     [](Options& out, Value value, Value) { out.filter.until = time_given("--until", value); }},
    {"--errors", "", "only failures", [](Options& out, Value, Value) { out.filter.errors = true; }},
    {"--branch", "active|all", "active: only the branch on which the session continues",
     [](Options& out, Value value, Value) { out.filter.active_branch = active_given(value); }},
    {"--blobs", "", "search large outputs, too",
     [](Options& out, Value, Value) { out.filter.blobs = true; }},
    {"--fold", "", "treat é as e; slower",
     [](Options& out, Value, Value) { out.accents = Accents::dropped; }},
    {"--limit", "N", "how many to show (20)",
     [](Options& out, Value value, Value) { out.limit = limit_given(value); }},
};

const Option& option_named(std::string_view flag) {
  const auto* const found = std::ranges::find(all_options, flag, &Option::flag);
  if (found != std::end(all_options)) return *found;
  throw misused("a search has no " + std::string(flag) + "; it takes " +
                listed(all_options, ", ", &Option::flag) + "; words after -- are searched for");
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

std::span<const Option> options() { return all_options; }

void set_option(Options& out, std::string_view flag, const std::string& value,
                const std::string& workspace) {
  const Option& option = option_named(flag);
  if (!option.value.empty() && value.empty())
    throw misused(std::string(flag) + " needs a value: " + std::string(option.value) + " (" +
                  std::string(option.meaning) + ")");
  option.set(out, value, workspace);
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
    std::string value;
    if (!option_named(flag).value.empty()) {
      std::string_view given = word.substr(std::min(equals + 1, word.size()));
      value = take_value(given.empty() ? rest : given);
    }
    set_option(out, flag, value, workspace);
  }
}

}  // namespace skein::search
