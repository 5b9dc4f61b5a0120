#include "core/checkpoints/blame.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/text/json.h"
#include "core/text/text.h"
#include "core/tools/diff.h"

namespace skein::checkpoints {

namespace {

using By = FileVersion::By;

// Where a line of `after` stands in `before`; none: it is new.
std::optional<std::size_t> line_before(std::string_view before, std::string_view after,
                                       std::size_t line) {
  std::size_t there = 0, here = 0;
  for (const tools::DiffLine& each : tools::diff_lines(before, after)) {
    there += each.change != tools::Change::added;
    here += each.change != tools::Change::removed;
    if (here == line && each.change != tools::Change::removed)
      return each.change == tools::Change::same ? std::optional(there) : std::nullopt;
  }
  return std::nullopt;
}

// What a call was about, as far as a line that it may have written tells.
struct Candidate {
  model::Entry entry{};
  std::string call{}, model{};
  bool fits = false;
};

bool has_line(std::string_view text, std::string_view line) {
  return std::ranges::any_of(split(text, '\n'),
                             [&](std::string_view each) { return trimmed(each) == trimmed(line); });
}

bool is_about(const std::string& path, const std::string& root, const std::string& file) {
  namespace fs = std::filesystem;
  return !path.empty() && (fs::path(root) / path).lexically_normal() == fs::path(file);
}

// Whether this call may have changed the file, and looks as if it wrote the line.
std::optional<Candidate> candidate_in(const model::ToolUse& call, const std::string& root,
                                      const std::string& file, std::string_view line) {
  const Json input = parse_json(call.input).value_or(Json::object());
  const std::string path = string_at(input, "path"), command = string_at(input, "command");
  if (call.name == "bash") {
    const std::string name = std::filesystem::path(file).filename().string();
    return Candidate{.call = "bash " + command, .fits = command.find(name) != std::string::npos};
  }
  if ((call.name != "write" && call.name != "edit") || !is_about(path, root, file))
    return std::nullopt;
  const std::string text = string_at(input, "content") + string_at(input, "new_text");
  // An edit may have changed only a part of the line.
  const bool part = !trimmed(text).empty() && line.find(trimmed(text)) != std::string_view::npos;
  return Candidate{.call = call.name + " " + path, .fits = has_line(text, line) || part};
}

}  // namespace

LineOrigin origin_of_line(
    std::span<const FileVersion> versions, std::size_t line,
    const std::function<std::optional<std::string>(const FileVersion&)>& text) {
  LineOrigin at{.version = versions.size() - 1, .line = line};
  std::string here = text(versions.back()).value_or("");
  while (at.version > 0) {
    const FileVersion& version = versions[at.version];
    // What was put back, by skein or by hand, comes from where it was before.
    if (version.by != By::turn) {
      std::size_t earlier = at.version;
      while (earlier > 0 && versions[earlier - 1].hash != version.hash) --earlier;
      if (earlier > 0) {
        at = {.version = earlier - 1, .line = at.line};
        continue;
      }
    }
    std::size_t before = at.version - 1;
    std::optional<std::string> there = text(versions[before]);
    while (!there && before > 0) there = text(versions[--before]);
    const std::optional<std::size_t> same =
        there ? line_before(*there, here, at.line) : std::nullopt;
    if (!same) {
      at.lost = at.version - 1 - before + (there ? 0 : 1);
      return at;
    }
    at = {.version = before, .line = *same};
    here = *std::move(there);
  }
  return at;
}

store::Result<LineAuthor> author_of(store::SessionStore& store, const FileVersion& version,
                                    const std::string& file, std::string_view text) {
  const Sighting& seen = version.seen;
  const Id prompt = seen.prompt.value_or(Id{});
  store::Result<model::Entry> asked = store.load_entry(seen.session, prompt);
  if (!asked) return asked.error();
  LineAuthor out{.prompt = *std::move(asked)};
  std::vector<Candidate> calls;  // the last first
  const auto read = store.load_back(seen.session, [&](const store::StoredEntry& placed) {
    if (placed.entry.id == prompt) return false;
    const bool of_this_run = seen.run_id.empty() || placed.entry.run_id == seen.run_id;
    const auto message = model::message_of(placed.entry);
    if (placed.at > seen.at || !of_this_run || !message || message->role != model::Role::assistant)
      return true;
    const std::string model = message->provider + "/" + message->model;
    if (out.model.empty()) out.model = model;
    const std::vector<const model::ToolUse*> uses = model::tool_uses(*message);
    for (auto use = uses.rbegin(); use != uses.rend(); ++use)
      if (auto call = candidate_in(**use, seen.root, file, text)) {
        call->entry = placed.entry;
        call->model = model;
        calls.push_back(*std::move(call));
      }
    return true;
  });
  if (!read) return read.error();
  auto chosen = std::ranges::find_if(calls, &Candidate::fits);
  if (chosen == calls.end() && calls.size() == 1) chosen = calls.begin();
  if (chosen == calls.end()) return out;
  out.entry = chosen->entry;
  out.call = chosen->call;
  out.model = chosen->model;
  return out;
}

}  // namespace skein::checkpoints
