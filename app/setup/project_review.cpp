#include "app/setup/project_review.h"

#include "app/setup/tool_servers.h"
#include "app/setup/user_hooks.h"
#include "core/text/checksum.h"
#include "core/text/text.h"

namespace skein::app {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view servers = "MCP servers";

// Whether there can be any, without reading much: most have none.
bool may_have_hooks(const std::string& workspace) {
  constexpr std::size_t most = 1u << 20;
  std::vector<std::string> files{user_config_file(), workspace_config_file(workspace)};
  if (const std::string folder = config_folder(); !folder.empty())
    files.push_back(folder + "/hooks.json");
  for (const std::string& file : files)
    if (read_small_file(file, most).find("hooks") != std::string::npos) return true;
  return false;
}

template <class Item>
void append(std::vector<Item>& to, std::vector<Item> more) {
  std::ranges::move(more, std::back_inserter(to));
}

std::vector<TrustItem> hooks_of(const Invocation& invocation, ProjectFiles& files) {
  catalog::Catalog catalog;
  return hooks_to_trust(load_config_anyway(invocation, files.places().workspace, catalog), files);
}

std::string size_of(const std::string& path) {
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(path, failed);
  return failed ? "" : ", " + short_bytes(bytes);
}

// "db → npx -y some-server", a line each.
std::string programs_in(const std::string& path) try {
  std::string out;
  for (const mcp::ServerEntry& each :
       mcp::read_servers(file_text(path).value_or(""), path, mcp::ServerEntry::Source::workspace)) {
    out += std::string(out.empty() ? "" : "\n") + "    " + each.name + " → " +
           (each.over_http() ? each.url : each.command);
    for (const std::string& argument : each.arguments) out += " " + argument;
  }
  return out;
} catch (const Error& error) {
  return "    " + std::string(error.what());
}

}  // namespace

ProjectReview::ProjectReview(const Invocation& invocation, const project::Places& places,
                             Reach reach)
    : files_(places), file_(workspace_file(places.workspace)) {
  if (reach == Reach::at_start) {
    find_at_start(invocation);
    return;
  }
  found_ = all_to_trust(files_.project());
  append(found_.items, hooks_of(invocation, files_));
  append(found_.items, permissions_to_trust(files_.project()));
}

void ProjectReview::find_at_start(const Invocation& invocation) {
  const std::string& workspace = files_.places().workspace;
  if (file_ && (file_->wants.empty() || trust_in(workspace, file_->text) != Trust::unknown))
    file_.reset();
  constexpr project::SkillLimits look{.folders = 200, .skills = 50};
  found_ = instructions_to_trust(files_.project(), look);
  if (std::exchange(found_.cut, false)) found_.items.clear();
  if (!invocation.no_hooks && may_have_hooks(workspace))
    append(found_.items, hooks_of(invocation, files_));
  const std::optional<SharedServers> shared = shared_servers_file(files_);
  if (shared && !invocation.strict_mcp_config)
    found_.items.push_back({std::string(servers), shared->path,
                            "the servers start with skein and run as you, outside the sandbox",
                            sha256_hex(shared->text),
                            files_.trust().of(shared->path, sha256_hex(shared->text))});
  std::erase_if(found_.items, [](const TrustItem& each) { return each.trust != Trust::unknown; });
}

std::vector<ProjectReview::Line> ProjectReview::detail_of(const TrustItem& item) {
  std::string head = shown(item.path) + " (" + item.kind + size_of(item.path);
  if (item.trust == Trust::given)
    head += ", already trusted";
  else if (files_.trust().knows(item.path))
    head += ", changed since you trusted it";
  const bool runs = item.kind == "hooks" || item.kind.starts_with("file that");
  std::vector<Line> out{{"  " + head + ")"}};
  if (!item.what.empty()) out.push_back({"    " + item.what, runs});
  if (item.kind == servers) out.push_back({programs_in(item.path), true});
  return out;
}

std::vector<ProjectReview::Line> ProjectReview::summary() {
  std::vector<Line> out;
  if (file_) {
    out.push_back({"  " + shown(file_->path) + " (configuration" + size_of(file_->path) + ")"});
    if (!file_->wants.empty())
      out.push_back({"    it may set " + listed(file_->wants) +
                     "; addresses and key commands determine who receives your prompts and keys"});
    for (const hooks::HookDefinition& each : hooks_in(*file_, files_.places().workspace))
      out.push_back({"    it runs on " + hook_report(each, files_.places()), true});
  }
  for (const TrustItem& each : found_.items) append(out, detail_of(each));
  if (found_.cut) out.push_back({"  more than 5,000 skill folders; the rest is not shown"});
  return out;
}

std::string ProjectReview::shown(const std::string& path) const {
  const std::string& root = files_.places().root();
  return path.starts_with(root + "/") ? path.substr(root.size() + 1) : path;
}

std::string ProjectReview::contents() const {
  constexpr std::size_t most_shown = 256u << 10;
  std::string out;
  const auto show = [&](const std::string& path, const std::string& text) {
    out += "\n== " + path + "\n" + text + (text.ends_with('\n') ? "" : "\n");
  };
  if (file_) show(file_->path, file_->text);
  for (const TrustItem& each : found_.items) {
    if (each.trust == Trust::given || !fs::is_regular_file(each.path)) continue;
    const std::string text = file_text(each.path, most_shown).value_or("");
    show(each.path,
         sha256_hex(text) == each.sha256
             ? text
             : "not shown: it is too large or has just changed; if it changed, try again");
  }
  return out + "\n";
}

void ProjectReview::decide(Trust trust) {
  if (file_) set_trust(files_.places().workspace, file_->text, trust);
  for (const TrustItem& each : found_.items) files_.trust().set(each.path, each.sha256, trust);
  if (!found_.items.empty()) files_.trust().save();
}

}  // namespace skein::app
