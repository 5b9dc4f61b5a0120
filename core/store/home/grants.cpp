#include "core/store/home/grants.h"

#include <filesystem>
#include <optional>

#include "core/store/files/named_files.h"
#include "core/text/json.h"
#include "core/text/sha256.h"

namespace skein::store::home {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes = 64u << 20;

// {"version":1,"sessions":{"<id>":{"<digest of the workspace>":["<digest of a rule>", …]}}}
Json empty_file() { return {{"version", 1}, {"sessions", Json::object()}}; }

// Nullopt: it is not what we wrote.
std::optional<Json> read(const fs::path& file) {
  const auto folder = files::files_beneath(file.parent_path().string());
  if (!folder || !files::exists(**folder, file.filename().string())) return empty_file();
  const auto bytes = files::read_whole(**folder, file.filename().string(), most_bytes);
  std::optional<Json> json = bytes ? parse_json(*bytes) : std::nullopt;
  if (!json || !json->is_object() || !at(*json, "sessions").is_object()) return std::nullopt;
  return json;
}

}  // namespace

Grants::Grants(std::string file, const std::string& workspace)
    : file_(std::move(file)), workspace_(sha256_hex(workspace)) {}

void Grants::load() {
  if (loaded_) return;
  loaded_ = true;
  if (file_.empty()) return;
  const std::optional<Json> json = read(file_);
  if (!json) {
    damage_ = file_ + " is damaged; rules that sessions were given earlier must be given again";
    return;
  }
  for (const auto& [session, workspaces] : at(*json, "sessions").items())
    for (const Json& digest : at(workspaces, workspace_))
      if (digest.is_string()) here_[session].insert(digest.get<std::string>());
}

bool Grants::has(Id session, const std::string& rule) {
  load();
  const auto found = here_.find(to_string(session));
  return found != here_.end() && found->second.contains(sha256_hex(rule));
}

std::string Grants::give(Id session, const std::string& rule) {
  return change(session, {sha256_hex(rule)}, {});
}

std::string Grants::take_back(Id session, const std::string& rule) {
  return change(session, {}, {sha256_hex(rule)});
}

std::string Grants::change(Id session, const Digests& add, const Digests& remove) {
  load();
  const std::string name = to_string(session);
  const auto apply = [&](Digests& digests) {
    digests.insert(add.begin(), add.end());
    for (const std::string& digest : remove) digests.erase(digest);
  };
  apply(here_[name]);
  if (file_.empty()) return "";
  std::error_code ignored;
  const fs::path path(file_);
  if (fs::create_directories(path.parent_path(), ignored))
    fs::permissions(path.parent_path(), fs::perms::owner_all, ignored);
  const std::string file = path.filename().string(), doing = "cannot write " + file_;
  const auto folder = files::files_beneath(path.parent_path().string());
  if (!folder) return "cannot write " + folder.error().text;
  // Two processes may be given rules at the same time.
  const auto lock = files::open(**folder, file + ".lock", files::OpenAs::locker, doing);
  if (const auto locked = lock ? lock->lock() : lock.error(); !locked) return locked.error().text;
  Json all = read(file_).value_or(empty_file());
  Digests digests;
  for (const Json& digest : at(at(at(all, "sessions"), name), workspace_))
    if (digest.is_string()) digests.insert(digest.get<std::string>());
  apply(digests);
  all["sessions"][name][workspace_] = digests;
  const auto done = files::replace_file(**folder, file, dump(all) + "\n", doing);
  return done ? "" : done.error().text;
}

}  // namespace skein::store::home
