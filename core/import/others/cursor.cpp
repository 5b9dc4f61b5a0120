// Cursor's agent: ~/.cursor/projects/<project>/agent-transcripts/<id>/<id>.jsonl. Its lines have no
// ids, no times, and no results.

#include "core/import/arrays/anthropic.h"
#include "core/text/checksum.h"
#include "core/text/text.h"

namespace skein::importers {

namespace {

namespace fs = std::filesystem;

// A folder's name as it is part of a project's name: every other character is a '-'.
std::string project_name(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (!is_alphanumeric(c)) c = '-';
  return out;
}

// Finds the folder a project is about, if it is on this machine: a '-' may stand for anything, so
// names are compared, in a few hundred folders at most.
std::string find_project(const fs::path& above, std::string_view name, int& looks_left) {
  std::error_code failed;
  if (--looks_left < 0) return {};
  for (fs::directory_iterator at(above, fs::directory_options::skip_permission_denied, failed);
       !failed && at != fs::directory_iterator(); at.increment(failed)) {
    const std::string part = project_name(at->path().filename().string());
    std::error_code unknown;
    if (part.empty() || !name.starts_with(part) ||
        at->symlink_status(unknown).type() != fs::file_type::directory)
      continue;
    if (name.size() == part.size()) return at->path().string();
    if (name[part.size()] != '-') continue;
    std::string found = find_project(at->path(), name.substr(part.size() + 1), looks_left);
    if (!found.empty()) return found;
  }
  return {};
}

// …/<project>/agent-transcripts/<id>/<id>.jsonl
std::string cursor_cwd(const SourceFile& file) {
  fs::path folder = file.folder();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    if (folder.filename() != "agent-transcripts") continue;
    int looks_left = 200;
    return find_project("/", folder.parent_path().filename().string(), looks_left);
  }
  return {};
}

// The user's words are between tags; takes what was shown around them out of the text.
std::string take_surroundings(std::string& text) {
  constexpr std::string_view open = "<user_query>", close = "</user_query>";
  const std::size_t begin = text.find(open), end = text.rfind(close);
  if (begin == std::string::npos || end == std::string::npos || end < begin + open.size())
    return {};
  const std::string_view all = text;
  std::string around(trimmed(all.substr(0, begin)));
  const std::string_view after = trimmed(all.substr(end + close.size()));
  if (!after.empty()) around += (around.empty() ? "" : "\n") + std::string(after);
  text = std::string(trimmed(all.substr(begin + open.size(), end - begin - open.size())));
  return around;
}

void give_cursor_user(MessageGiver& giver, const ForeignEntry& entry,
                      std::vector<model::Block> content) {
  for (model::Block& block : content)
    if (auto* const text = std::get_if<model::Text>(&block))
      if (std::string around = take_surroundings(text->text); !around.empty())
        giver.insert({.id = entry.id + "/context",
                      .content = ForeignContext{"attached", std::move(around)}});
  std::erase_if(content, [](const model::Block& block) {
    const auto* const text = std::get_if<model::Text>(&block);
    return text != nullptr && text->text.empty();
  });
  giver.user(entry, std::move(content));
}

void read_cursor_file(const SourceFile& file, const ForeignSession& session,
                      const ReadOptions& options, Receiver& receiver) {
  if (!receiver.begin(session)) return;
  MessageGiver giver(receiver);
  AnthropicBlocks blocks(receiver);
  std::size_t number = 0;
  each_record(file, options, receiver, [&](const ForeignRecord& line) {
    const std::string role = string_at(line.json, "role");
    if (role != "user" && role != "assistant") return;
    ForeignEntry entry{.id = std::to_string(++number) + "-" + sha256_hex(line.text).substr(0, 16)};
    std::vector<model::Block> content =
        blocks.content(at(at(line.json, "message"), "content"), entry.id);
    if (role == "user") return give_cursor_user(giver, entry, std::move(content));
    giver.answer(std::move(entry), {.content = std::move(content)});
    giver.make_up_results();
  });
  giver.finish();
}

}  // namespace

bool is_cursor(const SourceFile& file) {
  const Json first = first_record(file);
  const std::string role = string_at(first, "role");
  return (role == "user" || role == "assistant") && !first.contains("type") &&
         !first.contains("id") && at(at(first, "message"), "content").is_array();
}

void read_cursor(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const fs::path folder = file.folder();
  const std::string name = name_without_ending(file), cwd = cursor_cwd(file);
  const auto spawned = [&](const std::string& parent, const SourceFile& agent) {
    return ForeignSession{.id = parent + "/" + name_without_ending(agent),
                          .cwd = cwd,
                          .parent = parent,
                          .spawned = true};
  };
  if (folder.filename() == "subagents")
    return read_cursor_file(file, spawned(folder.parent_path().filename().string(), file), options,
                            receiver);
  read_cursor_file(file, {.id = name, .cwd = cwd}, options, receiver);
  if (folder.filename() != name) return;
  for (const std::string& path : files_in(folder / "subagents", ".jsonl")) {
    const auto agent = SourceFile::open(path);
    if (const auto* const source = std::get_if<SourceFile>(&agent))
      read_cursor_file(*source, spawned(name, *source), options, receiver);
  }
}

}  // namespace skein::importers
