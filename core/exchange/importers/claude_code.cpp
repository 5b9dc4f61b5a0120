#include "core/exchange/importers/claude_code.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "core/exchange/importers/claude_entries.h"
#include "core/exchange/importers/claude_index.h"
#include "core/exchange/importers/claude_tree.h"
#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_members.h"
#include "core/exchange/importers/json_records.h"
#include "core/exchange/importers/plain_file.h"
#include "core/text/text.h"

namespace skein::exchange::importers {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view of_agents = "agent-";

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return text.size() == form.size() && std::ranges::equal(text, form, [](char c, char wanted) {
           return wanted == 'x' ? is_hex(c) : c == wanted;
         });
}

// The folder of the session that a sub-agent's file lies in: <session>/subagents/…/agent-x.jsonl.
std::optional<fs::path> folder_of_main(const SourceFile& file) {
  fs::path folder = file.folder();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path())
    if (folder.filename() == "subagents" && folder.has_parent_path()) return folder.parent_path();
  return std::nullopt;
}

// agent-0f1e2d3c: as those are named that lie beside the session's file.
bool is_agent(std::string_view name) {
  return name.starts_with(of_agents) && name.size() > of_agents.size() &&
         std::ranges::all_of(name.substr(of_agents.size()), is_hex);
}

bool is_claude_code(const SourceFile& file) {
  const std::string head = file.head();
  std::string_view text = head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (!after_blanks(text).starts_with('{')) return false;
  if (text.find("\"isSidechain\"") != std::string_view::npos &&
      text.find("\"sessionId\"") != std::string_view::npos)
    return true;
  // A session may begin with pages of bookkeeping.
  RawMembers members(after_blanks(text));
  std::string_view type, session, message;
  while (const auto member = members.next()) {
    if (member->key == "type") type = raw_id(member->value);
    if (member->key == "sessionId" || member->key == "leafUuid") session = member->value;
    if (member->key == "messageId") message = member->value;
  }
  static constexpr std::string_view first_types[] = {
      "summary",  "queue-operation", "permission-mode", "mode",          "last-prompt",
      "ai-title", "custom-title",    "agent-name",      "worktree-state"};
  return (type == "file-history-snapshot" && !message.empty()) ||
         (!session.empty() && std::ranges::find(first_types, type) != std::end(first_types));
}

struct ClaudePlace {
  ForeignSession session{};
  fs::path folder{};  // of what belongs to the session beside its file
  bool is_agent = false;
};

ClaudePlace claude_place(const SourceFile& file, const ClaudeIndex& index) {
  ClaudePlace out;
  const std::string name = name_without_ending(file);
  const auto main = folder_of_main(file);
  out.is_agent = is_agent(name) || (main && name.starts_with(of_agents));
  out.session.cwd = index.cwd;
  out.session.title = index.title;
  if (!out.is_agent) {
    out.session.id = is_uuid(name) || index.session.empty() ? name : index.session;
    if (index.forked_from != out.session.id) out.session.parent = index.forked_from;
    out.folder = fs::path(file.folder()) / name;
    return out;
  }
  // Older versions put it beside the session's file, whose id its lines have.
  out.session.parent = main ? main->filename().string() : index.session;
  out.session.id = out.session.parent + "/" + name;
  out.session.spawned = true;
  out.folder = main ? *main : fs::path(file.folder()) / out.session.parent;
  if (const auto text = read_plain_file(file.folder(), name + ".meta.json"))
    if (const auto facts = read_json(*text)) out.session.title = string_at(*facts, "description");
  return out;
}

void read_claude_file(const SourceFile& file, const ReadOptions& options, Receiver& receiver,
                      ClaudePlace* where) {
  ClaudeIndex index(file, options.growing);
  const ClaudeTree tree(index);
  const ClaudePlace place = claude_place(file, index);
  if (where != nullptr) *where = place;
  ClaudeEntries entries(file, index, tree, options, receiver,
                        (place.folder / "tool-results").string());
  for (std::size_t i = 0; i < tree.sessions.size(); ++i) {
    const std::vector<std::uint32_t>& units = tree.sessions[i];
    const bool says = std::ranges::any_of(
        units, [&](std::uint32_t unit) { return tree.units[unit].kind != ClaudeKind::link; });
    if (!says) continue;
    ForeignSession session = place.session;
    if (i > 0) {
      const std::string& root = index.names.text(index.lines[tree.units[units.front()].first].id);
      session = {.id = place.session.id + "/" + root,
                 .cwd = index.cwd,
                 .parent = place.session.id,
                 .spawned = true};
    }
    if (!receiver.begin(session)) continue;
    if (i == 0)
      for (const auto& [what, count] : index.losses)
        for (int lost = 0; lost < count; ++lost) receiver.lose(what);
    entries.give(session, units);
  }
}

// Sub-agents' files, also those of workflows in folders of their own.
std::vector<std::string> agents_in(const fs::path& folder) {
  constexpr std::size_t most = 10'000;
  std::vector<std::string> out;
  std::error_code failed;
  if (fs::symlink_status(folder, failed).type() != fs::file_type::directory) return out;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failed);
  for (; !failed && at != fs::recursive_directory_iterator() && out.size() < most;
       at.increment(failed)) {
    if (at.depth() > 3) at.disable_recursion_pending();
    const std::string name = at->path().filename().string();
    std::error_code unknown;
    if (name.starts_with(of_agents) && name.ends_with(".jsonl") &&
        at->symlink_status(unknown).type() == fs::file_type::regular)
      out.push_back(at->path().string());
  }
  std::ranges::sort(out);
  return out;
}

void read_claude_code(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  ClaudePlace place;
  read_claude_file(file, options, receiver, &place);
  if (place.is_agent) return;
  for (const std::string& path : agents_in(place.folder / "subagents")) {
    auto agent = SourceFile::open(path);
    if (const auto* source = std::get_if<SourceFile>(&agent))
      read_claude_file(*source, options, receiver, nullptr);
    else
      receiver.lose("files of sub-agents that cannot be read");
  }
}

std::vector<std::string> claude_places(const Environment& environment) {
  std::vector<std::string> out;
  const std::string configured = environment("CLAUDE_CONFIG_DIR");
  for (const std::string_view each : split(configured, ','))
    if (!trimmed(each).empty()) out.push_back(std::string(trimmed(each)) + "/projects");
  if (!out.empty()) return out;
  const std::string home = environment("HOME");
  return {home + "/.claude/projects", home + "/.config/claude/projects"};
}

}  // namespace

Format claude_code() {
  return {"claude-code", "Claude Code", "claude", is_claude_code, read_claude_code, claude_places};
}

}  // namespace skein::exchange::importers
