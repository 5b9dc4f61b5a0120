#include "core/checkpoints/file_state.h"

#include "core/text/sha256.h"
#include "core/tools/diff.h"
#include "core/tools/workspace/reading.h"

namespace skein::checkpoints {

namespace {

constexpr std::size_t most_compared_bytes = 4u << 20;

}  // namespace

void Contents::fetch(std::span<const std::string> objects) {
  fetched_.clear();
  workspace_.repository.contents(
      {objects.begin(), objects.end()},
      [&](const std::string& id, std::string_view bytes) { fetched_[id] = bytes; });
}

std::map<std::string, std::string> Contents::hashes(const std::vector<std::string>& objects) {
  std::map<std::string, std::string> out;
  workspace_.repository.contents(
      objects, [&](const std::string& id, std::string_view bytes) { out[id] = sha256_hex(bytes); });
  return out;
}

store::Result<std::string> Contents::of(const FileState& state) const {
  if (!state.object.empty()) {
    const auto found = fetched_.find(state.object);
    if (found != fetched_.end()) return found->second;
    return store::Failure{.kind = store::Failure::Kind::gone,
                          .text = "git no longer has what was in it",
                          .missing = true};
  }
  if (!state.file.contents_kept())
    return store::Failure{store::Failure::Kind::gone, "what was in it was not kept"};
  store::Result<std::string> bytes = workspace_.contents.load(*state.file.hash);
  if (!bytes && bytes.error().missing)
    return store::Failure{.kind = store::Failure::Kind::gone,
                          .text = "what was in it is not kept here any more",
                          .missing = true};
  return bytes;
}

LineCount lines_changed(std::string_view before, std::string_view after) {
  LineCount out;
  if (before.size() > most_compared_bytes || after.size() > most_compared_bytes) return out;
  if (tools::workspace::looks_binary(before) || tools::workspace::looks_binary(after)) return out;
  for (const tools::DiffLine& line : tools::diff_lines(before, after)) {
    out.added += line.change == tools::Change::added;
    out.removed += line.change == tools::Change::removed;
  }
  return out;
}

}  // namespace skein::checkpoints
