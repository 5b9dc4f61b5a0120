#include "app/config/rows.h"

#include "core/text/text.h"

namespace skein::config {

namespace rows {

namespace {

namespace fs = std::filesystem;

// Whatever it is quoted with or glued to.
constexpr std::string_view path_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,+-~/@%";

bool is_file_below(const fs::path& folder, const fs::path& file) {
  std::error_code failed;
  const fs::path real = fs::canonical(file, failed);
  if (failed || fs::is_directory(real, failed)) return false;
  const fs::path top = fs::canonical(folder, failed);
  const fs::path below = real.lexically_relative(top);
  return !failed && !below.empty() && *below.begin() != "..";
}

bool leads_into(const fs::path& workspace, const std::string& word) {
  // An absolute one stays as it is.
  if (is_file_below(workspace, workspace / with_user_home(word))) return true;
  if (word.find('/') != std::string::npos) return false;
  const std::string folders = env("PATH");
  return std::ranges::any_of(split(folders, ':'), [&](std::string_view folder) {
    return !folder.empty() && is_file_below(workspace, workspace / folder / word);
  });
}

// The first one that is named; empty: none.
std::string workspace_file_in(const std::string& command, const std::string& workspace) {
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t begin = command.find_first_of(path_characters, at);
    if (begin == std::string::npos) break;
    at = std::min(command.find_first_not_of(path_characters, begin), command.size());
    const std::string word = command.substr(begin, at - begin);
    if (leads_into(workspace, word)) return word;
  }
  return {};
}

}  // namespace

bool runs_workspace_file(Target& to, const std::string& command, const std::string& what,
                         const std::string& advice) {
  if (!to.by_workspace()) return false;
  const std::string used = workspace_file_in(command, to.workspace);
  if (!used.empty())
    to.config.notices.push_back("the " + what + " in the workspace's configuration uses " + used +
                                " of the workspace, which trust does not cover; ignored" + advice);
  return !used.empty();
}

}  // namespace rows

// A provider begins as a copy of the one it is like, and models and aliases speak of providers.
std::span<const Table> tables() {
  using enum Table::Shape;
  static constexpr Table all[] = {
      {"budget", once, "[budget]", rows::budget_rows},
      {"expiry", once, "[expiry]", rows::expiry_rows},
      {"statusline", once, "[statusline]", rows::statusline_rows},
      {"keys", names, "[keys]", rows::chord_rows},
      {"colors", names, "[colors]", rows::color_rows},
      {"providers", for_a_name, "[providers.NAME]", rows::provider_rows},
      {"models", for_a_name, "[models.\"PROVIDER/MODEL\"]", rows::model_rows},
      {"mcp", for_a_name, "[mcp.NAME]", rows::server_rows},
      {"hooks", repeated, "[[hooks.EVENT]]", rows::hook_rows},
      {"aliases", names, "[aliases]", rows::alias_rows},
  };
  return all;
}

std::span<const Key> keys() {
  static const std::vector<Key> all = [] {
    const std::span<const Key> general = rows::general_rows();
    std::vector<Key> list(general.begin(), general.end());
    for (const Table& table : tables())
      for (const Key& key : table.rows()) list.emplace_back(key).table = table.name;
    return list;
  }();
  return all;
}

}  // namespace skein::config
