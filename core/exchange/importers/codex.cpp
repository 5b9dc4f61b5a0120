#include "core/exchange/importers/codex.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "core/exchange/importers/codex_entries.h"
#include "core/exchange/importers/codex_index.h"
#include "core/exchange/importers/codex_units.h"
#include "core/exchange/importers/json_members.h"
#include "core/exchange/importers/json_records.h"
#include "core/exchange/importers/plain_file.h"
#include "core/text/text.h"

namespace skein::exchange::importers {

namespace {

namespace fs = std::filesystem;

std::string rollout_name(std::string name) {
  for (const std::string_view ending : {".zst", ".jsonl"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

bool is_codex(const SourceFile& file) {
  const std::string head = file.head();
  std::string_view text = head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text = after_blanks(text);
  if (!text.starts_with('{')) return false;
  std::string_view type, payload, id;
  bool time = false, older = false;
  RawMembers members(text);
  while (const auto member = members.next()) {
    if (member->key == "type") type = raw_id(member->value);
    if (member->key == "payload") payload = member->value;
    if (member->key == "timestamp") time = true;
    if (member->key == "id") id = member->value;
    if (member->key == "instructions" || member->key == "git") older = true;
  }
  static constexpr std::string_view types[] = {"session_meta", "response_item", "event_msg",
                                               "turn_context"};
  if (std::ranges::find(types, type) != std::end(types)) return payload.starts_with('{');
  // A head that is longer than what was read of it.
  if (text.substr(0, 4096).find("\"type\":\"session_meta\"") != std::string_view::npos &&
      text.substr(0, 4096).find("\"payload\":{") != std::string_view::npos)
    return true;
  // The oldest ones: facts of the session, then bare items.
  return type.empty() && payload.empty() && time && older && !id.empty() &&
         file.name().starts_with("rollout-");
}

// Where rollouts may lie: the file's own folder, and if that is the day's of a home of Codex, all.
std::vector<fs::path> search_places(const SourceFile& file) {
  const fs::path folder = file.folder();
  std::vector<fs::path> out{folder};
  fs::path root = folder;
  for (int up = 0; up < 4 && root.has_relative_path(); ++up, root = root.parent_path())
    if (root.filename() == "sessions" || root.filename() == "archived_sessions") {
      out.push_back(root.parent_path() / "sessions");
      out.push_back(root.parent_path() / "archived_sessions");
      break;
    }
  return out;
}

// The rollout of that id, by its name.
std::optional<SourceFile> find_rollout(const std::vector<fs::path>& places, const std::string& id) {
  constexpr int most_files = 500'000;
  int seen = 0;
  for (const fs::path& place : places) {
    std::error_code failed;
    fs::recursive_directory_iterator at(place, fs::directory_options::skip_permission_denied,
                                        failed);
    for (; !failed && at != fs::recursive_directory_iterator() && seen < most_files;
         at.increment(failed), ++seen) {
      if (at.depth() > 3 || &place == &places.front()) at.disable_recursion_pending();
      const std::string name = rollout_name(at->path().filename().string());
      if (!name.starts_with("rollout-") || !(name.ends_with("-" + id) || name.ends_with("_" + id)))
        continue;
      std::error_code unknown;
      if (at->symlink_status(unknown).type() != fs::file_type::regular) continue;
      auto file = SourceFile::open(at->path().string());
      if (auto* const source = std::get_if<SourceFile>(&file)) return std::move(*source);
    }
  }
  return std::nullopt;
}

struct CodexHistory {
  std::deque<SourceFile> others{};  // stay where they are
  std::vector<CodexFile> files{};   // in the order in which they continue each other
  bool whole = true;
};

// The file, behind what it continues.
CodexHistory history_of(const SourceFile& file, CodexHead head) {
  constexpr std::size_t most = 64;
  CodexHistory out{.files = {{&file, file.size()}}};
  const std::vector<fs::path> places = search_places(file);
  std::set<std::string> seen;
  while (!head.base.empty()) {
    std::optional<SourceFile> found;
    if (seen.insert(head.base).second && seen.size() <= most)
      found = find_rollout(places, head.base);
    out.whole = found.has_value();
    if (!found) break;
    out.others.push_back(std::move(*found));
    const SourceFile& before = out.others.back();
    out.files.insert(out.files.begin(), {&before, std::min(before.size(), head.base_end)});
    head = codex_head(before);
  }
  return out;
}

// The name a session was given; the last one counts.
std::string thread_name(const SourceFile& file, const std::string& session) {
  fs::path folder = file.folder();
  for (int up = 0; up < 5 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    const auto names = read_plain_file(folder.string(), "session_index.jsonl");
    if (!names) continue;
    std::string out;
    for (const std::string_view line : split(*names, '\n')) {
      if (session.empty() || line.find(session) == std::string_view::npos) continue;
      const auto row = read_json(line);
      if (row && string_at(*row, "id") == session) out = string_at(*row, "thread_name", out);
    }
    return out;
  }
  return {};
}

void read_codex(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const CodexHead head = codex_head(file);
  ForeignSession session{.id = head.session.empty() ? rollout_name(file.name()) : head.session,
                         .cwd = head.cwd,
                         .title = thread_name(file, head.session),
                         .created_at = head.time,
                         .parent = head.parent == head.session ? std::string{} : head.parent,
                         .spawned = head.spawned};
  const CodexHistory history = history_of(file, head);
  const CodexIndex index(history.files, options.growing);
  const CodexUnits units(index);
  if (units.units.empty() || !receiver.begin(session)) return;
  if (!history.whole) receiver.lose("what came before a fork, in a file that is not there");
  for (const auto& [what, count] : index.losses)
    for (int lost = 0; lost < count; ++lost) receiver.lose(what);
  CodexEntries(history.files, index, units, options, receiver,
               head.provider.empty() ? "openai" : head.provider)
      .give();
}

std::vector<std::string> codex_places(const Environment& environment) {
  std::string home = environment("CODEX_HOME");
  if (home.empty()) home = environment("HOME") + "/.codex";
  return {home + "/sessions", home + "/archived_sessions"};
}

}  // namespace

Format codex() { return {"codex", "Codex", "codex", is_codex, read_codex, codex_places}; }

}  // namespace skein::exchange::importers
