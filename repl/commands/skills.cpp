// /skills: instructions that the model can load.
#include <algorithm>
#include <set>

#include "core/project/skill_texts.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/commands/entry_names.h"
#include "repl/commands/handlers.h"
#include "repl/layout/table.h"
#include "repl/session/session.h"

namespace skein::commands {

using project::LoadedSkill;

namespace {

// What the end of the conversation that is in memory has called, by model or user.
std::set<std::string> skills_used(Session& session) {
  std::set<std::string> out;
  for (const model::Entry& entry : session.conversation().path()) {
    const std::string typed = model::typed_command(entry);
    if (!typed.empty()) out.emplace(first_word(std::string_view(typed).substr(1)).first);
    const auto message = model::message_of(entry);
    if (!message) continue;
    for (const model::ToolUse* call : model::tool_uses(*message))
      if (call->name == "skill")
        if (const auto input = parse_json(call->input)) out.insert(string_at(*input, "name"));
  }
  return out;
}

std::string about(const LoadedSkill& skill) {
  const project::MarkdownFile file = project::read_markdown(skill.file());
  std::string out = skill.skill.name + ": " + skill.skill.description + "\n" + skill.file() + "\n";
  for (const char* field : {"license", "compatibility", "allowed-tools"})
    if (const std::string text = file.front.text(field); !text.empty())
      out += std::string(field) + ": " + text + "\n";
  for (const auto& [name, value] : file.front.map("metadata")) out += name + ": " + value + "\n";
  if (!skill.skill.for_model) out += "only you can call it: /" + skill.skill.name + "\n";
  if (!skill.skill.for_user) out += "only the model can call it\n";
  for (const std::string& remark : skill.skill.remarks) out += "! " + remark + "\n";
  const project::SkillFiles files = project::files_of(skill.folder);
  if (!files.names.empty())
    out += "files: " + listed(files.names) +
           (files.more > 0 ? " (" + std::to_string(files.more) + " more)" : "") + "\n";
  return out + "\n" + std::string(trimmed(file.body(), "\n")) + "\n";
}

}  // namespace

void show_skills(Session& session, std::string_view name) {
  const std::vector<LoadedSkill> skills = session.services().skills();
  if (!name.empty()) {
    const auto found = std::ranges::find_if(
        skills, [&](const LoadedSkill& each) { return each.skill.name == name; });
    if (found == skills.end()) throw Error("there is no skill " + std::string(name));
    return session.screen().print_untrusted(about(*found));
  }
  const std::set<std::string> used = skills_used(session);
  layout::Table table{
      .columns = {
          {"skill"}, {"tokens", true}, {"used"}, {"from"}, {"what it is for", false, true}}};
  for (const LoadedSkill& each : skills)
    table.rows.push_back({each.skill.name,
                          short_count(static_cast<std::int64_t>(each.skill.bytes / 4)),
                          used.contains(each.skill.name) ? "yes" : "",
                          each.of_project ? "project" : "you", each.skill.description});
  if (skills.empty())
    session.screen().print(
        "there are no skills; each is a folder with a SKILL.md, in .skein/skills of a project or "
        "skills beside your configuration (/config says where)\n");
  else
    session.screen().show(table);
  for (const std::string& remark : session.services().skill_remarks())
    session.screen().print_untrusted(remark + "\n");
}

std::vector<std::string> skill_names(Session& session, std::string_view start) {
  return names_from(session.services().skills(), start,
                    [](const LoadedSkill& each) { return each.skill.name; });
}

}  // namespace skein::commands
