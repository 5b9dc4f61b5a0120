#include "core/store/home/grants.h"

#include <optional>

#include "core/store/home/json_file.h"
#include "core/text/json.h"
#include "core/text/sha256.h"

namespace skein::store::home {

namespace {

// {"version":1,"sessions":{"<id>":{"<digest of the workspace>":["<digest of a rule>", …]}}}
bool is_ours(const Json& all) { return all.empty() || at(all, "sessions").is_object(); }

}  // namespace

Grants::Grants(std::string file, const std::string& workspace)
    : file_(std::move(file)), workspace_(sha256_hex(workspace)) {}

void Grants::load() {
  if (loaded_) return;
  loaded_ = true;
  if (file_.empty()) return;
  const std::optional<Json> json = read_json_file(file_);
  if (!json || !is_ours(*json)) {
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
  return change_json_file(file_, [&](Json& all) {
    if (all.empty() || !is_ours(all)) all = {{"version", 1}, {"sessions", Json::object()}};
    Digests digests;
    for (const Json& digest : at(at(at(all, "sessions"), name), workspace_))
      if (digest.is_string()) digests.insert(digest.get<std::string>());
    apply(digests);
    all["sessions"][name][workspace_] = digests;
  });
}

}  // namespace skein::store::home
