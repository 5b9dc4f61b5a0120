#include "core/hooks/definition.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <variant>

#include "core/text/json.h"
#include "core/text/regex.h"
#include "core/text/text.h"

namespace skein::hooks {

namespace {

constexpr std::size_t most_hooks = 500;  // of one file; more are a mistake

bool is_list_of_names(std::string_view matcher) {
  return std::ranges::all_of(matcher, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-,| ").find(c) != std::string_view::npos;
  });
}

std::chrono::milliseconds seconds_at(const Json& hook) {
  const Json& given = at(hook, "timeout");
  constexpr double longest = 3'600;
  if (!given.is_number()) return {};
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(std::clamp(given.get<double>(), 0.0, longest) * 1000));
}

class Reader {
 public:
  Reader(const std::string& file, bool of_project) : file_(file), of_project_(of_project) {}

  // "PreToolUse": [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]
  void event(const std::string& name, const Json& groups) {
    const std::optional<Event> known = parse_event(name);
    if (!known) {
      unknown_.insert(name);
      return;
    }
    if (!groups.is_array()) return pass_over(name + " is no list");
    for (const Json& group : groups)
      for (const Json& hook : at(group, "hooks")) one(*known, string_at(group, "matcher"), hook);
  }

  ReadHooks result() {
    if (!unknown_.empty())
      pass_over("skein has no event " +
                listed(std::vector<std::string>(unknown_.begin(), unknown_.end())));
    return std::move(out_);
  }

  void pass_over(const std::string& why) {
    out_.remarks.push_back(file_ + ": hooks passed over: " + why);
  }

 private:
  void one(Event event, const std::string& matcher, const Json& hook) {
    const std::string type = string_at(hook, "type", "command");
    if (type != "command")
      return pass_over("skein runs only those of the type command, not " + type);
    if (string_at(hook, "command").empty()) return pass_over("one has no command");
    if (out_.definitions.size() >= most_hooks)
      return pass_over("more than " + std::to_string(most_hooks));
    Definition read{.event = event,
                    .matcher = matcher,
                    .condition = string_at(hook, "if"),
                    .command = string_at(hook, "command"),
                    .time = seconds_at(hook),
                    .for_claude = true,
                    .of_project = of_project_,
                    .file = file_};
    if (const Json& words = at(hook, "args"); words.is_array()) {
      read.words.emplace();
      for (const Json& word : words)
        if (word.is_string()) read.words->push_back(word.get<std::string>());
    }
    out_.definitions.push_back(std::move(read));
  }

  const std::string& file_;
  bool of_project_;
  std::set<std::string> unknown_{};
  ReadHooks out_{};
};

}  // namespace

std::string shown(const Definition& definition) {
  std::string out = definition.command;
  for (const std::string& word : definition.words.value_or(std::vector<std::string>{}))
    out += " " + word;
  return out;
}

bool matches(std::string_view matcher, const std::vector<std::string>& names) {
  matcher = trimmed(matcher);
  if (matcher.empty() || matcher == "*") return true;
  if (!is_list_of_names(matcher)) {
    const auto compiled = Regex::compile(matcher, Regex::Case::sensitive);
    const auto* expression = std::get_if<Regex>(&compiled);
    return expression == nullptr || std::ranges::any_of(names, [&](const std::string& name) {
             return expression->found_in(name);
           });
  }
  std::string list(matcher);
  std::ranges::replace(list, ',', '|');
  for (const std::string_view word : split(list, '|'))
    if (std::ranges::find(names, trimmed(word)) != names.end()) return true;
  return false;
}

ReadHooks read_claude_hooks(std::string_view json, const std::string& file, bool of_project) {
  const std::optional<Json> root = parse_json(json);
  if (!root) return {.trouble = "it is not JSON"};
  Reader reader(file, of_project);
  const Json& all = at(*root, "hooks");
  if (!all.is_object()) return reader.result();
  for (const auto& [name, groups] : all.items()) reader.event(name, groups);
  ReadHooks out = reader.result();
  out.text = dump(all);
  return out;
}

}  // namespace skein::hooks
