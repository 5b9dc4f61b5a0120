// Which workspaces may configure more than what takes something away: those whose configuration the
// user has seen and trusted, by real path and content. Kept next to the user's own configuration,
// where no tool can write.
#pragma once

#include "app/config/config.h"
#include "core/project/markdown_files.h"
#include "core/project/places.h"
#include "core/project/skill_search.h"
#include "core/project/trust_record.h"

namespace skein::app {

using project::Trust;

// Where the records of single files are kept; empty: there is no place for them.
std::string trust_folder();

// In a configuration with this very text: one that was changed since is unknown again.
Trust trust_in(const std::string& workspace, const std::string& text);
// Throws Error (storage) if it cannot be written down.
void set_trust(const std::string& workspace, const std::string& text, Trust trust);

// Those with a configuration that was trusted once.
std::vector<std::string> trusted_workspaces();

// Which files of a project the user trusts. The record is read when it is first needed.
class ProjectTrust {
 public:
  explicit ProjectTrust(project::Places places) : places_(std::move(places)) {}

  const project::Places& places() const { return places_; }
  project::TrustRecord& record();

  // What was found that the user has not decided on: a few words for each `kind`; empty: nothing.
  void note_untrusted(const std::string& kind, std::string text) {
    untrusted_[kind] = std::move(text);
  }
  std::vector<std::string> untrusted() const;

 private:
  std::map<std::string, std::string> untrusted_{};
  project::Places places_;
  std::optional<project::TrustRecord> record_{};
};

// One line for the user about what is not trusted; empty: there is nothing.
std::string untrusted_line(const std::vector<std::string>& untrusted);
// Whether it has to be shown, because it was not for a day, or has changed; notes that it is shown.
bool is_due(const std::string& untrusted_line, const project::Places& places);

struct TrustItem {
  // "skill", "command", "agent", "MCP servers", "hooks", "permissions", "file that a command runs",
  // "… a hook runs"
  std::string kind;
  std::string path;
  std::string what{};  // its name and what it says about itself, in one line
  std::string sha256;
  Trust trust = Trust::unknown;
};

// Skills and agents; `look` says how far to look for skills.
struct FoundItems {
  std::vector<TrustItem> items{};
  bool cut = false;  // there is more
};
FoundItems instructions_to_trust(ProjectTrust& project, const project::SkillLimits& look = {});
// All kinds, skills first.
FoundItems all_to_trust(ProjectTrust& project);

// Of a program, as it is trusted; empty: it cannot be read, or is too large to be one.
std::string hash_of_program(const std::string& path);
// The files that commands in `file` run.
std::vector<TrustItem> executed_items(ProjectTrust& project, const project::MarkdownFile& file);

// Claude Code's settings files: where they are, and the permissions in them. Their hooks are read
// by configured_hooks.
//
// The project's, where they really are; those that a link leads out of the project are left out.
std::vector<std::string> claude_settings_files(const project::Places& places);

// What forbids or asks always counts. What loosens counts in the user's own file, and in a file of
// the project that the user trusts in its current form. Without a workspace only the user's file is
// read.
void add_claude_permissions(config::Config& config, const std::string& workspace);

// What loosens in files of the project.
std::vector<TrustItem> permissions_to_trust(ProjectTrust& project);

}  // namespace skein::app
