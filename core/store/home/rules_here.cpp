#include "core/store/home/rules_here.h"

#include <algorithm>
#include <utility>

#include "core/store/home/json_file.h"

namespace skein::store::home {

namespace {

// {"version":1,"workspaces":{"/home/u/src":["bash(make test)", …]}}
std::vector<std::string> rules_in(const Json& all, const std::string& workspace) {
  std::vector<std::string> rules;
  for (const Json& rule : at(at(all, "workspaces"), workspace))
    if (rule.is_string()) rules.push_back(rule.get<std::string>());
  return rules;
}

void change(std::vector<std::string>& rules, const std::string& rule, bool keep) {
  std::erase(rules, rule);
  if (keep) rules.push_back(rule);
}

}  // namespace

RulesHere::RulesHere(std::string file, std::string workspace)
    : file_(std::move(file)), workspace_(std::move(workspace)) {}

const std::vector<std::string>& RulesHere::rules() {
  if (std::exchange(loaded_, true) || file_.empty()) return here_;
  if (const std::optional<Json> all = read_json_file(file_))
    here_ = rules_in(*all, workspace_);
  else
    damage_ = file_ + " is damaged; rules that were given for good must be given again";
  return here_;
}

std::string RulesHere::give(const std::string& rule) { return write(rule, true); }
std::string RulesHere::take_back(const std::string& rule) { return write(rule, false); }

std::string RulesHere::write(const std::string& rule, bool keep) {
  rules();
  change(here_, rule, keep);
  if (file_.empty()) return keep ? "nothing is kept" : "";
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

}  // namespace skein::store::home
