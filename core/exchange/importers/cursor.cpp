#include "core/exchange/importers/cursor.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "core/exchange/importers/anthropic_blocks.h"
#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_records.h"
#include "core/exchange/importers/message_giver.h"
#include "core/text/sha256.h"
#include "core/text/text.h"

namespace skein::exchange::importers {

namespace {

namespace fs = std::filesystem;

bool is_cursor(const SourceFile& file) {
  const Json first = first_record(file);
  const std::string role = string_at(first, "role");
  return (role == "user" || role == "assistant") && !first.contains("type") &&
         !first.contains("id") && at(at(first, "message"), "content").is_array();
}

// A folder's name as it stands in that of a project: every other character is a '-'.
std::string project_name(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '-';
  return out;
}

// Finds the folder a project is about, if it is on this machine: a '-' may stand for anything, so
// names are compared, in a few hundred folders at most.
class ProjectSearch {
 public:
  std::string find(const fs::path& above, std::string_view name);

 private:
  int looks_left_ = 200;
};

std::string ProjectSearch::find(const fs::path& above, std::string_view name) {
  std::error_code failed;
  if (--looks_left_ < 0) return {};
  for (fs::directory_iterator at(above, fs::directory_options::skip_permission_denied, failed);
       !failed && at != fs::directory_iterator(); at.increment(failed)) {
    const std::string part = project_name(at->path().filename().string());
    std::error_code unknown;
    if (part.empty() || !name.starts_with(part) ||
        at->symlink_status(unknown).type() != fs::file_type::directory)
      continue;
    if (name.size() == part.size()) return at->path().string();
    if (name[part.size()] != '-') continue;
    std::string found = find(at->path(), name.substr(part.size() + 1));
    if (!found.empty()) return found;
  }
  return {};
}

// …/<project>/agent-transcripts/<id>/<id>.jsonl
std::string cursor_cwd(const SourceFile& file) {
  fs::path folder = file.folder();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    if (folder.filename() != "agent-transcripts") continue;
    return ProjectSearch().find("/", folder.parent_path().filename().string());
  }
  return {};
}

// The user's words stand between tags, and around them what was shown with them.
struct CursorQuery {
  std::string words{}, around{};
};
CursorQuery query_in(const std::string& text) {
  constexpr std::string_view open = "<user_query>", close = "</user_query>";
  const std::size_t begin = text.find(open);
  const std::size_t end = text.rfind(close);
  if (begin == std::string::npos || end == std::string::npos || end < begin + open.size())
    return {.words = text};
  const std::string_view all = text;
  CursorQuery out{
      .words = std::string(trimmed(all.substr(begin + open.size(), end - begin - open.size()))),
      .around = std::string(trimmed(all.substr(0, begin)))};
  const std::string_view after = trimmed(all.substr(end + close.size()));
  if (!after.empty()) out.around += (out.around.empty() ? "" : "\n") + std::string(after);
  return out;
}

void give_cursor_user(MessageGiver& giver, const MessageGiver::Place& place,
                      std::vector<model::Block> content) {
  for (model::Block& block : content) {
    auto* const text = std::get_if<model::Text>(&block);
    if (text == nullptr) continue;
    CursorQuery query = query_in(text->text);
    text->text = std::move(query.words);
    if (!query.around.empty())
      giver.context({.id = place.id + "/context"}, {"attached", std::move(query.around)});
  }
  std::erase_if(content, [](const model::Block& block) {
    const auto* const text = std::get_if<model::Text>(&block);
    return text != nullptr && text->text.empty();
  });
  giver.user(place, std::move(content));
}

void read_cursor_file(const SourceFile& file, const ForeignSession& session,
                      const ReadOptions& options, Receiver& receiver) {
  if (!receiver.begin(session)) return;
  MessageGiver giver(receiver);
  AnthropicBlocks blocks(receiver);
  std::size_t number = 0;
  each_record(file, options, receiver, [&](const Json& record, std::string_view text) {
    const std::string role = string_at(record, "role");
    if (role != "user" && role != "assistant") return true;
    MessageGiver::Place place{.id =
                                  std::to_string(++number) + "-" + sha256_hex(text).substr(0, 16)};
    std::vector<model::Block> content =
        blocks.content(at(at(record, "message"), "content"), place.id);
    if (role == "user") {
      give_cursor_user(giver, place, std::move(content));
      return true;
    }
    giver.answer(std::move(place), {.content = std::move(content)});
    giver.make_up_results();
    return true;
  });
  giver.finish();
}

void read_cursor(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const fs::path folder = file.folder();
  const std::string name = name_without_ending(file);
  const std::string cwd = cursor_cwd(file);
  if (folder.filename() == "subagents") {
    const std::string parent = folder.parent_path().filename().string();
    return read_cursor_file(
        file, {.id = parent + "/" + name, .cwd = cwd, .parent = parent, .spawned = true}, options,
        receiver);
  }
  read_cursor_file(file, {.id = name, .cwd = cwd}, options, receiver);
  if (folder.filename() != name) return;
  std::error_code failed;
  if (fs::symlink_status(folder / "subagents", failed).type() != fs::file_type::directory) return;
  std::vector<std::string> agents;
  for (fs::directory_iterator at(folder / "subagents", failed);
       !failed && at != fs::directory_iterator(); at.increment(failed)) {
    std::error_code unknown;
    if (at->symlink_status(unknown).type() == fs::file_type::regular &&
        at->path().extension() == ".jsonl")
      agents.push_back(at->path().string());
  }
  std::ranges::sort(agents);
  for (const std::string& path : agents) {
    auto agent = SourceFile::open(path);
    if (const auto* const source = std::get_if<SourceFile>(&agent))
      read_cursor_file(*source,
                       {.id = name + "/" + name_without_ending(*source),
                        .cwd = cwd,
                        .parent = name,
                        .spawned = true},
                       options, receiver);
  }
}

std::vector<std::string> cursor_places(const Environment& environment) {
  return {environment("HOME") + "/.cursor/projects"};
}

}  // namespace

Format cursor() { return {"cursor", "Cursor", "cursor", is_cursor, read_cursor, cursor_places}; }

}  // namespace skein::exchange::importers
