// /skills: instructions that the model can load; /mcp: the MCP servers; /hooks: the programs that
// run at fixed points of a session.

#include "core/project/skill.h"
#include "core/text/json.h"
#include "core/text/text.h"
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

constexpr std::string_view server_actions[] = {"reconnect", "enable", "disable"};

std::string change_server(mcp::Hub* servers, std::string_view what, const std::string& name) {
  mcp::Client* const server = servers != nullptr ? servers->find(name) : nullptr;
  if (server == nullptr) throw Error("there is no MCP server " + name);
  if (!server->entry().trouble.empty())
    throw Error(name + " cannot be used: " + server->entry().trouble);
  if (std::ranges::find(server_actions, what) == std::end(server_actions))
    throw Error("usage: /mcp reconnect|enable|disable NAME");
  what == "reconnect" ? servers->reconnect(*server)
                      : servers->set_enabled(*server, what == "enable");
  return name +
         (what == "disable"
              ? " is disabled until skein ends; the model loses its tools with your next message\n"
              : " is starting; /mcp shows when it is ready\n");
}

}  // namespace

void show_skills(Session& session, std::string_view name) {
  const auto [skills, remarks] = session.services().program->skills();
  if (!name.empty()) {
    const auto found = std::ranges::find_if(
        skills, [&](const LoadedSkill& each) { return each.skill.name == name; });
    if (found == skills.end()) throw Error("there is no skill " + std::string(name));
    return session.screen().print_untrusted(about(*found));
  }
  const std::set<std::string> used = skills_used(session);
  layout::Table table{
      .columns = {{"skill"}, {"tokens", true}, {"used"}, {"from"}, {"description", false, true}}};
  for (const LoadedSkill& each : skills)
    table.rows.push_back({each.skill.name,
                          short_count(static_cast<std::int64_t>(each.skill.bytes / 4)),
                          used.contains(each.skill.name) ? "yes" : "",
                          each.of_project ? "project" : "you", each.skill.description});
  if (skills.empty())
    session.screen().print(
        "there are no skills; a skill is a folder with a SKILL.md in .skein/skills, or in skills/ "
        "next to your configuration (see /config)\n");
  else
    session.screen().show(table);
  for (const std::string& remark : remarks) session.screen().print_untrusted(remark + "\n");
}

Choices skill_names(Session& session, std::string_view start) {
  return names_from(session.services().program->skills().all, start,
                    [](const LoadedSkill& each) { return each.skill.name; });
}

void show_servers(Session& session, std::string_view change) {
  if (!trimmed(change).empty()) {
    const auto [what, name] = first_word(trimmed(change));
    return session.screen().print_untrusted(
        change_server(session.services().servers, what, std::string(trimmed(name))));
  }
  const std::vector<mcp::Hub::Row> servers = session.services().server_rows();
  if (servers.empty())
    return session.screen().print(
        "No MCP server is configured. `skein mcp add NAME -- COMMAND` adds one; a project can list "
        "some in .mcp.json.\n");
  layout::Table table{.columns = {{"server"},
                                  {"state"},
                                  {"tools", true},
                                  {"tokens", true, true},
                                  {"from", false, true},
                                  {"what", false, true}}};
  for (const mcp::Hub::Row& each : servers)
    table.rows.push_back({each.name, session::short_state(each), std::to_string(each.tools),
                          short_count(each.schema_bytes / 4), each.source, each.place});
  session.screen().show(table);
  for (const mcp::Hub::Row& each : servers)
    if (session::short_state(each) != each.state)
      session.screen().print_untrusted("  " + each.name + ": " + each.state + "\n");
}

Choices server_words(Session& session, std::string_view start) {
  std::vector<std::string> words;
  for (const std::string_view action : server_actions)
    if (start.find(' ') == std::string_view::npos)
      words.push_back(std::string(action) + " ");
    else
      for (const mcp::Hub::Row& each : session.services().server_rows())
        words.push_back(std::string(action) + " " + each.name);
  return names_from(words, start);
}

void show_hooks(Session& session, std::string_view) {
  const std::vector<hooks::Hooks::Line> hooks = session.services().program->hooks();
  if (hooks.empty())
    return session.screen().print(
        "There are no hooks. A [[hooks.EVENT]] table in your configuration runs a program on an "
        "event; see `skein help hooks`.\n");
  layout::Table table{.columns = {{"event"},
                                  {"for", false, true},
                                  {"program", false, true},
                                  {"from"},
                                  {"run", true},
                                  {"last exit"},
                                  {"took", true}}};
  for (const hooks::Hooks::Line& line : hooks) {
    const hooks::HookDefinition& each = line.definition;
    table.rows.push_back({std::string(name(each.event)),
                          each.matcher.empty() ? "all" : each.matcher, shown(each),
                          each.of_project ? "project" : "you", std::to_string(line.runs),
                          line.last_exit, line.runs == 0 ? "" : short_duration(line.last_ms)});
  }
  session.screen().show(table);
  std::string last;
  for (const hooks::Hooks::Line& line : hooks)
    if (line.definition.file != last)
      session.screen().print_untrusted("  " + (last = line.definition.file) + "\n");
  for (const hooks::Hooks::Line& line : hooks)
    if (!line.refusal.empty())
      session.screen().print_untrusted("  " + std::string(name(line.definition.event)) + " `" +
                                       shown(line.definition) + "`: " + line.refusal + "\n");
}

}  // namespace skein::commands
