#include "core/project/skill.h"

#include <algorithm>

#include "core/text/base.h"
#include "core/text/glob.h"
#include "core/text/sha256.h"
#include "core/text/text.h"
#include "core/text/utf8.h"

namespace skein::project {

namespace {

constexpr std::size_t longest_name = 64, longest_compatibility = 500;
constexpr std::string_view fork = "fork", general_agent = "general";

bool is_small(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// As the specification of skills has it: words of small letters and digits with hyphens between.
bool is_skill_name(std::string_view name) {
  if (name.empty() || name.size() > longest_name || name.front() == '-' || name.back() == '-' ||
      name.find("--") != std::string_view::npos)
    return false;
  return std::ranges::all_of(name, [](char c) { return is_small(c) || c == '-'; });
}

// What can at least be typed after a slash.
bool can_be_called(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && std::ranges::all_of(name, [](char c) {
    return is_small(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
  });
}

std::string words(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
  }
  return std::string(trimmed(out));
}

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string cut(const std::string& text, std::size_t characters) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += first_character(text.substr(at, 4)).length)
    if (count++ == characters) return text.substr(0, at) + "…";
  return text;
}

void remark_on_name(Skill& skill, const std::string& given) {
  if (!given.empty() && !is_skill_name(given))
    skill.remarks.push_back("the name " + given +
                            " is not made of small letters, digits and single hyphens, at most 64");
  else if (given.empty())
    skill.remarks.push_back("it has no name; its folder's counts");
  else if (given != skill.name)
    skill.remarks.push_back("its name is " + given + ", its folder's " + skill.name +
                            "; the folder's counts");
}

}  // namespace

Skill skill_from(const MarkdownFile& file, std::string_view folder) {
  Skill skill{.name = std::string(folder), .refusal = file.refusal};
  if (!can_be_called(folder)) skill.refusal = "its folder's name cannot be typed as a command";
  if (!skill.refusal.empty()) return skill;
  skill.sha256 = sha256_hex(file.text);
  skill.bytes = file.body().size();
  remark_on_name(skill, words(file.front.text("name")));
  std::string description = words(file.front.text("description"));
  if (description.empty()) {
    description = words(file.first_paragraph());
    skill.remarks.push_back("it has no description; its first paragraph stands for one");
  }
  if (description.empty()) {
    skill.refusal = "it has neither a description nor a first paragraph";
    return skill;
  }
  if (const std::size_t length = characters_in(description); length > longest_description)
    skill.remarks.push_back("its description has " + with_separators(length) + " characters; " +
                            with_separators(longest_description) + " are used");
  if (characters_in(file.front.text("compatibility")) > longest_compatibility)
    skill.remarks.push_back("compatibility is longer than 500 characters");
  skill.description = cut(description, longest_description);
  if (const std::string when = words(file.front.text("when_to_use")); !when.empty())
    skill.description += " " + cut(when, longest_description);
  skill.hint = words(file.front.text("argument-hint"));
  skill.for_model = !file.front.flag("disable-model-invocation").value_or(false);
  skill.for_user = file.front.flag("user-invocable").value_or(true);
  skill.paths = file.front.list("paths");
  return skill;
}

// A pattern without a slash is meant in every folder, as in ignore files.
bool is_about(const Skill& skill, std::string_view below) {
  const std::string_view name = below.substr(below.rfind('/') + 1);
  return std::ranges::any_of(skill.paths, [&](std::string_view pattern) {
    while (pattern.starts_with("./")) pattern.remove_prefix(2);
    return glob_match(pattern, pattern.find('/') == std::string_view::npos ? name : below);
  });
}

std::string agent_for(const MarkdownFile& file, std::span<const std::string> agents) {
  if (file.front.text("context") != fork) return {};
  // Files that were written for Claude Code write names as it does.
  const std::string wanted = lower(file.front.text("agent"));
  std::string usual;
  for (const std::string& each : agents) {
    if (!wanted.empty() && lower(each) == wanted) return each;
    if (each == general_agent) usual = each;
  }
  return usual;
}

std::vector<std::string> not_obeyed(const MarkdownFile& file) {
  std::vector<std::string> out;
  for (const char* field : {"model", "effort"})
    if (file.front.find(field) != nullptr)
      out.push_back(std::string(field) + " counts when a person calls it, not when the model does");
  if (const std::string context = file.front.text("context"); !context.empty() && context != fork)
    out.push_back("context is passed over: the one value it can have is " + std::string(fork));
  if (file.front.find("agent") != nullptr && file.front.text("context") != fork)
    out.push_back("agent counts together with `context: " + std::string(fork) + "` only");
  if (file.front.find("hooks") != nullptr)
    out.push_back("hooks is passed over: hooks stand in the configuration");
  return out;
}

}  // namespace skein::project
