#include "core/project/skill.h"

#include "core/project/command_text.h"
#include "core/text/base.h"
#include "core/text/checksum.h"
#include "core/text/pattern.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

constexpr std::size_t short_bytes = 120;

// One in each line, its description in at most `bytes`; nothing if that is too much.
std::optional<std::string> lines_with(std::span<const Offered> all, std::size_t bytes,
                                      std::size_t most_bytes) {
  std::string out;
  for (const Offered& each : all) {
    const std::string_view said = utf8_prefix(each.description, bytes);
    out += "- " + std::string(each.name);
    if (!said.empty()) out += ": " + std::string(said);
    if (!said.empty() && said.size() < each.description.size()) out += "…";
    out += '\n';
    if (out.size() > most_bytes) return std::nullopt;
  }
  return out;
}

// As many names as there is room for.
std::string names_within(std::span<const Offered> all, std::size_t most_bytes) {
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (out.size() + all[i].name.size() > most_bytes)
      return out + "- and " + with_separators(all.size() - i) + " more\n";
    out += "- " + std::string(all[i].name) + "\n";
  }
  return out;
}

constexpr std::size_t longest_name = 64, longest_compatibility = 500;
constexpr std::string_view fork = "fork", general_agent = "general";

bool is_small(char c) { return (c >= 'a' && c <= 'z') || is_digit(c); }

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
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  });
}

// With one blank between words.
std::string words(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = is_space(c) || c == '\v' || c == '\f';
    if (!blank || !(out.empty() || out.back() == ' ')) out += blank ? ' ' : c;
  }
  return std::string(trimmed(out));
}

std::string cut(const std::string& text, std::size_t characters) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    if ((text[at] & 0xC0) != 0x80 && count++ == characters) return text.substr(0, at) + "…";
  return text;
}

void remark_on_name(Skill& skill, const std::string& given) {
  if (!given.empty() && !is_skill_name(given))
    skill.remarks.push_back(
        "the name " + given +
        " may only have lower-case letters, digits and single hyphens, at most 64");
  else if (given.empty())
    skill.remarks.push_back("it has no name; skein uses the folder's name");
  else if (given != skill.name)
    skill.remarks.push_back("its name is " + given + ", its folder's " + skill.name +
                            "; skein uses the folder's name");
}

}  // namespace

std::string catalogue(std::string_view opening, std::vector<Offered> offered,
                      std::size_t most_bytes) {
  if (offered.empty()) return {};
  std::ranges::sort(offered, {}, &Offered::name);
  for (const std::size_t bytes : {std::string_view::npos, short_bytes})
    if (const auto lines = lines_with(offered, bytes, most_bytes))
      return std::string(opening) + *lines;
  return std::string(opening) + names_within(offered, most_bytes);
}

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
    skill.remarks.push_back("it has no description; skein uses its first paragraph");
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
      out.push_back(std::string(field) +
                    " applies only if the user calls it, not if the model does");
  if (const std::string context = file.front.text("context"); !context.empty() && context != fork)
    out.push_back("context is ignored: its only valid value is " + std::string(fork));
  if (file.front.find("agent") != nullptr && file.front.text("context") != fork)
    out.push_back("agent is ignored without `context: " + std::string(fork) + "`");
  if (file.front.find("hooks") != nullptr)
    out.push_back("hooks is ignored: hooks belong in the configuration");
  return out;
}

std::string skill_list(std::span<const LoadedSkill> skills, std::size_t most_bytes) {
  constexpr std::string_view opening =
      "# Skills\nThese hold instructions for certain kinds of work. When one fits the task, call "
      "the tool `skill` with its name before you continue.\n";
  std::vector<Offered> shown;
  for (const LoadedSkill& each : skills)
    if (each.skill.for_model && each.skill.paths.empty())
      shown.push_back({each.skill.name, each.skill.description});
  return catalogue(opening, std::move(shown), most_bytes);
}

std::string skill_offer(const LoadedSkill& skill) {
  return "There is a skill for files like this one. Call the tool `skill` with its name before you "
         "continue, if it fits the task.\n- " +
         skill.skill.name + ": " + skill.skill.description + "\n";
}

SkillFiles files_of(const std::string& folder, std::size_t most) {
  namespace fs = std::filesystem;
  constexpr std::size_t most_looked_at = 1000;
  constexpr int deepest_file = 3;
  SkillFiles out;
  std::size_t looked_at = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator
           at(folder, fs::directory_options::skip_permission_denied, failed),
       end;
       !failed && at != end && ++looked_at <= most_looked_at; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    const bool passed_over = name.starts_with('.') || (at.depth() == 0 && name == skill_file);
    if (passed_over || at.depth() == deepest_file) at.disable_recursion_pending();
    std::error_code ignored;
    if (!passed_over && at->symlink_status(ignored).type() == fs::file_type::regular)
      out.names.push_back(at->path().lexically_relative(folder).string());
  }
  std::ranges::sort(out.names);
  if (out.names.size() > most) {
    out.more = out.names.size() - most;
    out.names.resize(most);
  }
  return out;
}

std::string skill_text(const LoadedSkill& skill, const MarkdownFile& file,
                       const std::string& project_folder) {
  std::string out = "<skill name=\"" + skill.skill.name + "\" folder=\"" + skill.folder + "\">\n";
  const CommandValues values{.names = file.front.list("arguments", ", "),
                             .skill_folder = skill.folder,
                             .project_folder = project_folder};
  for (const CommandPiece& piece : fill_in(valid_utf8(file.body()), values))
    out +=
        piece.is_shell ? "`" + piece.text + "` (run it, if you need what it prints)" : piece.text;
  if (!out.ends_with('\n')) out += '\n';
  const SkillFiles files = files_of(skill.folder);
  if (!files.names.empty())
    out += "Files: " + listed(files.names) +
           (files.more > 0 ? " (" + std::to_string(files.more) + " more)" : "") + "\n";
  return out + "</skill>";
}

}  // namespace skein::project
