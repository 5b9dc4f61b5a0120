#include "app/setup/config_watch.h"

#include "app/setup/load_config.h"
#include "core/text/text.h"
#include "repl/layout/width.h"

namespace skein::app {

ConfigWatch::ConfigWatch(const Invocation& invocation, std::string workspace)
    : invocation_(invocation), workspace_(std::move(workspace)) {
  for (const std::string& path : {user_config_file(), workspace_config_file(workspace_)})
    files_.push_back({path, file_text(path), file_text(path)});
}

std::optional<config::Config> ConfigWatch::look() {
  for (File& file : files_) {
    std::optional<std::string> now = file_text(file.path);
    file.changed = now != file.seen;
    file.seen = std::move(now);
  }
  if (std::ranges::none_of(files_, &File::changed)) return std::nullopt;
  config::Config config;
  try {
    catalog::Catalog catalog;
    config = load_config_anyway(invocation_, workspace_, catalog);
  } catch (const Error& error) {
    config.troubles.emplace_back(error.what());
  }
  troubles_ = config.troubles;
  return config;
}

std::string ConfigWatch::report(const std::vector<std::string>& applied) {
  any_applied_ = any_applied_ || !applied.empty();
  std::string out;
  for (const File& file : files_)
    if (file.changed && (any_applied_ || file.seen != file.at_start))
      out += layout::short_folder(file.path) + (file.seen ? " has changed" : " was removed") +
             (applied.empty() ? ": the change applies when skein starts next\n" : "\n");
  if (!applied.empty())
    out += "applied now: " + listed(applied, 5) + "; the rest applies when skein starts next\n";
  if (out.empty() || troubles_.empty()) return out;
  return out + "invalid configuration: " + troubles_.front() +
         (troubles_.size() > 1 ? " (`skein config check` lists all mistakes)" : "") + "\n";
}

}  // namespace skein::app
