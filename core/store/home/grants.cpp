#include "core/store/home/grants.h"

#include "core/store/files/named_files.h"
#include "core/text/checksum.h"
#include "core/text/json.h"

namespace skein::store::home {

namespace {

namespace fs = std::filesystem;

// An empty object if there is no such file; nullopt: it is not what we wrote.
std::optional<Json> read_json_file(const std::string& file) {
  constexpr std::uint64_t most_bytes = 64u << 20;
  const fs::path path(file);
  const auto folder = files::files_beneath(path.parent_path().string());
  if (!folder || !files::exists(**folder, path.filename().string())) return Json::object();
  const auto bytes = files::read_whole(**folder, path.filename().string(), most_bytes);
  std::optional<Json> json = bytes ? parse_json(*bytes) : std::nullopt;
  if (!json || !json->is_object()) return std::nullopt;
  return json;
}

// One process at a time; what cannot be read is replaced. Makes the folder, for the user alone.
// Returns why nothing was written; empty: it was.
std::string change_json_file(const std::string& file, const std::function<void(Json&)>& change) {
  std::error_code ignored;
  const fs::path path(file);
  if (fs::create_directories(path.parent_path(), ignored))
    fs::permissions(path.parent_path(), fs::perms::owner_all, ignored);
  const std::string name = path.filename().string(), doing = "cannot write " + file;
  const auto folder = files::files_beneath(path.parent_path().string());
  if (!folder) return "cannot write " + folder.error().text;
  const auto lock = files::open(**folder, name + ".lock", files::OpenAs::locker, doing);
  if (const auto locked = lock ? lock->lock() : lock.error(); !locked) return locked.error().text;
  Json all = read_json_file(file).value_or(Json::object());
  change(all);
  const auto done = files::replace_file(**folder, name, dump(all) + "\n", doing);
  return done ? "" : done.error().text;
}

std::vector<std::string> strings_in(const Json& all) {
  std::vector<std::string> out;
  for (const Json& each : all)
    if (each.is_string()) out.push_back(each.get<std::string>());
  return out;
}

// {"version":1,"workspaces":{"/home/u/src":["bash(make test)", …]}}
std::vector<std::string> rules_in(const Json& all, const std::string& workspace) {
  return strings_in(at(at(all, "workspaces"), workspace));
}

void change(std::vector<std::string>& rules, const std::string& rule, bool keep) {
  std::erase(rules, rule);
  if (keep) rules.push_back(rule);
}

// {"version":1,"sessions":{"<id>":{"<digest of the workspace>":["<digest of a rule>", …]}}}
bool is_ours(const Json& all) { return all.empty() || at(all, "sessions").is_object(); }

}  // namespace

RulesHere::RulesHere(std::string file, std::string workspace)
    : file_(std::move(file)), workspace_(std::move(workspace)) {}

const std::vector<std::string>& RulesHere::rules() {
  if (std::exchange(loaded_, true) || file_.empty()) return here_;
  if (const std::optional<Json> all = read_json_file(file_))
    here_ = rules_in(*all, workspace_);
  else
    damage_ = file_ + " is damaged; rules for this workspace must be given again";
  return here_;
}

std::string RulesHere::give(const std::string& rule) { return write(rule, true); }
std::string RulesHere::take_back(const std::string& rule) { return write(rule, false); }

std::string RulesHere::write(const std::string& rule, bool keep) {
  rules();
  change(here_, rule, keep);
  if (file_.empty()) return keep ? "rules are not saved here" : "";
  return change_json_file(file_, [&](Json& all) {
    if (!at(all, "workspaces").is_object()) all = {{"version", 1}, {"workspaces", Json::object()}};
    std::vector<std::string> kept = rules_in(all, workspace_);
    change(kept, rule, keep);
    if (kept.empty())
      all["workspaces"].erase(workspace_);
    else
      all["workspaces"][workspace_] = kept;
  });
}

Grants::Grants(std::string file, const std::string& workspace)
    : file_(std::move(file)), workspace_(sha256_hex(workspace)) {}

void Grants::load() {
  if (std::exchange(loaded_, true) || file_.empty()) return;
  const std::optional<Json> json = read_json_file(file_);
  if (!json || !is_ours(*json)) {
    damage_ = file_ + " is damaged; rules of sessions must be given again";
    return;
  }
  for (const auto& [session, workspaces] : at(*json, "sessions").items())
    for (std::string& digest : strings_in(at(workspaces, workspace_)))
      here_[session].insert(std::move(digest));
}

bool Grants::has(Id session, const std::string& rule) {
  load();
  const auto found = here_.find(to_string(session));
  return found != here_.end() && found->second.contains(sha256_hex(rule));
}

std::string Grants::give(Id session, const std::string& rule) { return write(session, rule, true); }

std::string Grants::take_back(Id session, const std::string& rule) {
  return write(session, rule, false);
}

std::string Grants::write(Id session, const std::string& rule, bool keep) {
  load();
  const std::string name = to_string(session), digest = sha256_hex(rule);
  const auto change = [&](std::set<std::string>& digests) {
    digests.erase(digest);
    if (keep) digests.insert(digest);
  };
  change(here_[name]);
  if (file_.empty()) return "";
  return change_json_file(file_, [&](Json& all) {
    if (all.empty() || !is_ours(all)) all = {{"version", 1}, {"sessions", Json::object()}};
    const auto known = strings_in(at(at(at(all, "sessions"), name), workspace_));
    std::set<std::string> digests(known.begin(), known.end());
    change(digests);
    all["sessions"][name][workspace_] = digests;
  });
}

}  // namespace skein::store::home
