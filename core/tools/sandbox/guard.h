// Watches over a command: remembers what other programs run by themselves in the folders it may
// write to, and takes back what it made or changed of that. What exists is walled off besides,
// where the sandbox can do that; what does not exist yet, and what git replaces by renaming, cannot
// be.
#pragma once

#include <string>
#include <vector>

#include "core/text/fd.h"
#include "core/tools/sandbox/quarantine.h"
#include "core/tools/sandbox/self_running.h"

namespace skein::tools::sandbox {

class Guard {
 public:
  // `areas`: the folders commands may write to, canonical. `quarantine`: see Quarantine.
  Guard(std::vector<std::string> areas, std::string home, std::string quarantine);

  // A file that is guarded besides those that are found.
  void add(const std::string& path);
  // Whether a file of one of these names has been met.
  bool has_met(const std::vector<std::string>& names) const;

  // Before a command. Returns what exists and should be mounted read-only, the nearest first.
  std::vector<std::string> record();

  // Whether what record() returned could not be written to by the command.
  enum class Wall { held, none };
  // After it. Returns what was taken back and why, for people and models; empty: nothing.
  std::string take_back(Wall wall);

 private:
  void record_places();
  void follow_up(const std::string& path, SelfRunning::Author author);
  bool cannot_have_changed(const std::string& path, const TreeRecord& now, Wall wall) const;
  void judge(const std::string& path, const GuardedPlace& place, Wall wall);
  void judge_new_config(const std::string& path, const TreeRecord& now);
  void judge_new_hooks(const std::string& path, const TreeRecord& now);
  void restore(const std::string& path, const TreeRecord& before, const TreeRecord& now);
  std::string shown(const std::string& path) const;
  bool take(int folder, const std::string& name, const std::string& path);
  bool leads_inside(const std::string& from, std::string_view path) const;

  std::string first_area_, home_;
  std::vector<std::string> global_hook_folders_{};  // core.hooksPath of the user or the machine
  SelfRunning places_;
  Quarantine quarantine_;
  std::map<std::string, TreeRecord> records_;  // of every place, as the command found it
  // What is walled off, kept open: as long as it is, its number belongs to no other file.
  std::map<std::string, Fd> walled_;
  std::vector<std::string> taken_, not_restored_;
};

}  // namespace skein::tools::sandbox
